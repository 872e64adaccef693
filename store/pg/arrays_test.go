package pg_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/pg"
	"errand/store/storetest"
)

func TestWriterSendsArraysAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	library, ours := pgtype.NewMap(), pgtype.NewMap()
	pg.SendArrays(ours)
	for _, array := range []struct {
		oid   uint32
		value any
	}{
		{pgtype.Int8ArrayOID, []int64{0, -1, 1 << 62}},
		{pgtype.Int8ArrayOID, []int64{}},
		{pgtype.TextArrayOID, []string{"", "ü{},\"\\", "NULL"}},
		{pgtype.ByteaArrayOID, [][]byte{{}, {0, 255}}},
		{pgtype.UUIDArrayOID, [][16]byte{{}, {1, 2, 15: 3}}},
		{pgtype.TimestamptzArrayOID, []time.Time{storetest.Noon, time.UnixMicro(1).UTC(),
			time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), storetest.Noon.In(time.FixedZone("", 3600))}},
		{pgtype.TimestamptzArrayOID, []core.Time{core.At(storetest.Noon), {}}},
		{pgtype.Int4ArrayOID, []int32{7}},
	} {
		expected, err := library.Encode(array.oid, pgtype.BinaryFormatCode, array.value, nil)
		require.NoError(t, err)
		sent, err := ours.Encode(array.oid, pgtype.BinaryFormatCode, array.value, nil)
		require.NoError(t, err)
		require.Equal(t, expected, sent, "%v", array.value)
	}
}
