package grouping

import "strings"

// appendJVM appends the name of a class or method without the classes that proxies generate around it and without the numbers of
// lambdas, anonymous classes and accessors.
func appendJVM(buf []byte, name string) []byte {
	if strings.IndexByte(name, '/') >= 0 { // app//com.example.Cart, Main$$Lambda/0x00007f8a, Main$$Lambda$1/1324119927 (JDK 8)
		name, _, _ = strings.Cut(name, "/0x")
		if class := strings.TrimRightFunc(name, isDigit); strings.HasSuffix(class, "/") {
			name = strings.TrimRight(class, "/")
		}
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	if strings.IndexByte(name, '$') >= 0 {
		name = cutProxyMark(name)
	}
	start := len(buf)
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && !isDigit(rune(name[end])) {
			end++
		}
		buf = append(buf, name[i:end]...)
		i = end + digitsAt(name, end)
		if i > end && !isCounter(buf[start:], i-end) {
			buf = append(buf, name[end:i]...)
		}
	}
	return buf
}

// proxyMarks are the marks in names of classes that libraries and compilers derive at run time.
var proxyMarks = [...]string{
	"$$Enhancer", "$$FastClass", "$$SpringCGLIB", "$$KeyFactory", "$$Lambda", "$$ExternalSynthetic", "$Lambda$",
	"_$$_", "$$_", "$HibernateProxy$", "$ByteBuddy$", "$MockitoMock$", "$auxiliary$",
}

// cutProxyMark returns the original of a generated class.
func cutProxyMark(name string) string {
	for _, mark := range proxyMarks {
		if i := strings.Index(name, mark); i > 0 {
			return strings.TrimRight(name[:i], "-$_")
		}
	}
	return name
}

// counterPrefixes are the texts before a counter of the compiler or runtime.
var counterPrefixes = [...]string{"$", "__", "$Proxy", "jdk.proxy", "Accessor", "_closure", "$eval", "LambdaForm$MH", "LambdaForm$DMH",
	"CodegenStage"}

// longestScriptCount is the greatest length of a number that people give their functions; Groovy's numbers of texts are longer.
const longestScriptCount = 5

// isCounter reports whether a number of so many digits after the text is a counter. Script1 and script16789012345678 are classes
// that Groovy makes of texts.
func isCounter(before []byte, digits int) bool {
	if len(before) == 0 || strings.IndexByte("$_yrelHt", before[len(before)-1]) < 0 { // how those end
		return false
	}
	if text := string(before); text == "Script" || text == "script" && digits > longestScriptCount {
		return true
	}
	for _, end := range counterPrefixes {
		if len(before) >= len(end) && string(before[len(before)-len(end):]) == end {
			return true
		}
	}
	return false
}
