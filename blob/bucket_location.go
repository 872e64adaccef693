package blob

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// How long connecting to a server may take, and how long the beginning of its answer.
const (
	dialTimeout   = 5 * time.Second
	answerTimeout = 15 * time.Second
	maxTries      = 3
)

// bucketLocation holds the parts of a URL s3://...
type bucketLocation struct {
	bucket, prefix string // the prefix ends with a slash, unless it is empty
	endpoint       string // host and port
	region         string
	secure         bool
	lookup         minio.BucketLookupType
	user           *url.Userinfo
}

// openBucket makes a store of a bucket. Its errors contain no part of the URL that may be secret.
func openBucket(u *url.URL, getenv func(string) string) (Store, error) {
	location, err := parseBucketURL(u, getenv)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(location.endpoint, &minio.Options{
		Creds: location.findCredentials(getenv), Secure: location.secure, Region: location.region,
		BucketLookup: location.lookup, Transport: newTransport(), MaxRetries: maxTries,
	})
	if err != nil {
		return nil, errors.New("BLOBS has an endpoint that is not a host: " + location.endpoint)
	}
	return &bucketStore{core: minio.Core{Client: client}, bucketLocation: *location, windows: newWindows()}, nil
}

func parseBucketURL(u *url.URL, getenv func(string) string) (*bucketLocation, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" {
		return nil, errors.New("BLOBS has a broken query")
	}
	for name := range query {
		if name != "endpoint" && name != "region" && name != "path_style" {
			return nil, errors.New("BLOBS has an unknown part in its query: it takes endpoint, region and path_style")
		}
	}
	l := &bucketLocation{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), user: u.User, secure: true}
	if l.bucket == "" {
		return nil, errors.New("BLOBS has no bucket after s3://")
	}
	if l.prefix != "" {
		if err := checkKey(l.prefix); err != nil {
			return nil, errors.New("BLOBS has a prefix with characters that keys do not have")
		}
		l.prefix += "/"
	}
	l.region = cmp.Or(query.Get("region"), getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1")
	if err := l.setEndpoint(cmp.Or(query.Get("endpoint"), "https://s3."+l.region+".amazonaws.com")); err != nil {
		return nil, err
	}
	if text := query.Get("path_style"); text != "" {
		pathStyle, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("BLOBS has a path_style that is neither true nor false")
		}
		l.lookup = minio.BucketLookupDNS
		if pathStyle {
			l.lookup = minio.BucketLookupPath
		}
	}
	return l, nil
}

// setEndpoint sets the endpoint to a URL, or to a host, which is reached over https.
func (l *bucketLocation) setEndpoint(endpoint string) error {
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" ||
		u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("BLOBS has an endpoint that is not http:// or https:// and a host")
	}
	l.endpoint, l.secure = u.Host, u.Scheme == "https"
	return nil
}

// findCredentials returns the credentials in the URL, in the environment, or of the machine's role.
func (l *bucketLocation) findCredentials(getenv func(string) string) *credentials.Credentials {
	key, secret, token := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN")
	if l.user != nil {
		key, token = l.user.Username(), ""
		secret, _ = l.user.Password()
	}
	if key != "" {
		return credentials.NewStaticV4(key, secret, token)
	}
	return credentials.New(&credentials.IAM{Client: &http.Client{Timeout: dialTimeout}, Region: l.region})
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: answerTimeout,
		IdleConnTimeout:       time.Minute,
		MaxIdleConnsPerHost:   16,
		DisableCompression:    true, // ranges refer to the stored bytes
		ForceAttemptHTTP2:     true,
	}
}
