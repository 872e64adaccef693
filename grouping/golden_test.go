package grouping

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/testkit/golden"
)

// TestGoldens shows for an event of each platform the input of its group. A change of these files for the same Version forks
// issues in every installation.
func TestGoldens(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "events", "*.json"))
	require.NoError(t, err)

	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var e core.Event
			require.NoError(t, json.Unmarshal(text, &e))
			golden.CheckFile(t, strings.TrimSuffix(file, ".json")+".golden", explainEvent(&e))
		})
	}
}

// explainEvent returns all results of grouping for an event, with the parts of its key in readable form.
func explainEvent(e *core.Event) string {
	var d digest
	d.writeV1(e)
	var b strings.Builder
	fmt.Fprintf(&b, "title    %s\nculprit  %s\nversion  %d\nkey      %x\n", MakeTitle(e), FindCulprit(e), ComputeKey(e).Version,
		ComputeKey(e).Hash)
	explainParts(&b, d.buf, "")
	return b.String()
}

func explainParts(text *strings.Builder, buf []byte, indent string) {
	for len(buf) > 0 {
		if buf[0] != 0 { // the lengths of parts begin with a zero, texts do not
			fmt.Fprintf(text, "%s%s\n", indent, buf)
			return
		}
		n := binary.BigEndian.Uint32(buf)
		part := buf[lengthSize : lengthSize+n]
		buf = buf[lengthSize+n:]
		switch {
		case len(part) == 0 || part[0] != 0:
			fmt.Fprintf(text, "%s- %s\n", indent, part)
		default:
			fmt.Fprintf(text, "%s-\n", indent)
			explainParts(text, part, indent+"  ")
		}
	}
}
