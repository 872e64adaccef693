package core

import "fmt"

// WriteBytes writes a size as people say it: 980 bytes, 1.2 GB.
func WriteBytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	size, units := float64(n)/unit, []string{"kB", "MB", "GB", "TB", "PB"}
	for size >= unit && len(units) > 1 {
		size, units = size/unit, units[1:]
	}
	if size >= 10 {
		return fmt.Sprintf("%.0f %s", size, units[0])
	}
	return fmt.Sprintf("%.1f %s", size, units[0])
}
