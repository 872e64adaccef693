package blob_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/blob/blobtest"
)

// bucketServer is the one S3 server of this process.
var bucketServer struct {
	sync.Once
	*blobtest.Server
	err error
}

// openBucket opens a store in a new bucket. It skips the test when no server is available.
func openBucket(t *testing.T) blob.Store {
	bucketServer.Do(func() { bucketServer.Server, bucketServer.err = blobtest.StartServer() })
	if bucketServer.err != nil {
		t.Skipf("no S3 server: %v", bucketServer.err)
	}
	return bucketServer.OpenBucket(t)
}

// An object that is replaced during reading is not read as a mixture of both versions.
func TestBucketObjectIsReplacedWhileOpen(t *testing.T) {
	t.Parallel()
	s := openBucket(t)
	putText(t, s, "a", strings.Repeat("a", 4<<20))
	object, err := s.Open(t.Context(), "a")
	require.NoError(t, err)
	defer object.Close()
	putText(t, s, "a", strings.Repeat("b", 4<<20))

	_, err = io.Copy(io.Discard, io.NewSectionReader(object, 0, object.Size()))

	require.ErrorContains(t, err, "reading a")
}

// Errors name the bucket and the server, never the credentials.
func TestBucketErrors(t *testing.T) {
	t.Parallel()
	openBucket(t) // for the server
	nobody, err := blobtest.FindFreeAddress()
	require.NoError(t, err)
	serverKeys := makeGetenv(map[string]string{"AWS_ACCESS_KEY_ID": blobtest.Key, "AWS_SECRET_ACCESS_KEY": blobtest.Secret})
	for _, test := range []struct{ location, reason string }{
		{"s3://no-such-bucket?region=eu-1&endpoint=http://" + bucketServer.Addr, "no such bucket"},
		{"s3://" + blobtest.Key + ":another-secret@bucket?region=eu-1&endpoint=http://" + bucketServer.Addr, ""},
		{"s3://bucket?region=eu-1&endpoint=http://" + nobody, "refused"},
	} {
		s, err := blob.OpenStore(test.location, serverKeys)
		require.NoError(t, err)
		_, putErr := s.Put(t.Context(), "a", strings.NewReader("x"), testLimit)
		_, openErr := s.Open(t.Context(), "a")
		for action, err := range map[string]error{"asking": s.Ping(t.Context()), "writing a": putErr, "opening a": openErr} {
			require.ErrorContains(t, err, action)
			require.ErrorContains(t, err, test.reason)
			require.NotContains(t, err.Error(), "secret")
			require.NotErrorIs(t, err, blob.ErrNotFound)
		}
		require.NotContains(t, s.String(), "secret")
	}
}

// A server that accepts the connection and never answers holds nobody for longer than the caller
// allows.
func TestBucketOfAServerThatHangs(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	s, err := blob.OpenStore("s3://key:secret@bucket?endpoint=http://"+listener.Addr().String(), makeGetenv(nil))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()

	_, err = s.Open(ctx, "a")

	require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
}
