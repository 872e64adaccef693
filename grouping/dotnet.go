package grouping

import "strings"

// appendDotNet appends the full name of a method as it was written. The compiler moves the body of an async method, iterator,
// lambda or local function into a separate class: Cart+<AddAsync>d__5.MoveNext is Cart.AddAsync, Cart+<>c.<Add>b__0_1 is
// Cart.Add. Type arguments, arguments and assemblies are left out.
func appendDotNet(buf []byte, module, function string) []byte {
	start := len(buf)
	module, _, _ = strings.Cut(module, ",")
	stateMachine := "" // the method whose state machine the last part was
	for _, name := range [...]string{module, cutDotNetSignature(function)} {
		for name != "" {
			var part string
			part, name = nextDotNetPart(name)
			if stateMachine != "" && part == "MoveNext" {
				continue
			}
			stateMachine = ""
			if strings.HasPrefix(part, "<") {
				part = findWrittenMethod(part)
				stateMachine = part
			}
			if part = plainDotNetPart(part); part == "" {
				continue
			}
			if len(buf) > start {
				buf = append(buf, '.')
			}
			buf = append(buf, part...)
		}
	}
	return buf
}

// cutDotNetSignature drops the arguments, the result and the modifiers: "async Task<User> GetAsync(int id)". A local function is
// named after its method: "void Run(int id)+Check(int id)" is Run.Check.
func cutDotNetSignature(function string) string {
	if strings.IndexByte(function, ' ') < 0 && strings.IndexByte(function, '(') < 0 {
		return function
	}
	function, _, _ = strings.Cut(function, " {") // AddAsync { <lambda> }
	depth, from := 0, 0
	for i := range len(function) {
		switch function[i] {
		case '<', '[':
			depth++
		case '>', ']':
			depth--
		case ' ':
			if depth == 0 && i+1 < len(function) && function[i+1] != '(' {
				from = i + 1
			}
		case '(':
			if depth == 0 && i > from {
				return strings.TrimSpace(function[from:i]) + findLocalFunction(function[findClosing(function, i):])
			}
		}
	}
	return function[from:]
}

// findLocalFunction returns ".Check" for "+Check(int id)", which the SDK writes after the method around a local function. A lambda
// there has no name: "+(int id) => { }".
func findLocalFunction(rest string) string {
	local, found := strings.CutPrefix(rest, "+")
	name, _, hasArguments := strings.Cut(local, "(")
	if !found || !hasArguments || name == "" || strings.IndexByte(name, ' ') >= 0 {
		return ""
	}
	return "." + name
}

// nextDotNetPart splits a name at the first dot, plus or slash outside brackets.
func nextDotNetPart(name string) (part, rest string) {
	depth := 0
	for i := range len(name) {
		switch name[i] {
		case '<', '[':
			depth++
		case '>', ']':
			depth--
		case '.', '+', '/':
			if depth <= 0 {
				return name[:i], name[i+1:]
			}
		}
	}
	return name, ""
}

// findWrittenMethod returns the method in the name of a generated class or method, empty for a class of closures: <AddAsync>d__5,
// <<Main>b__0>d, <Main>g__Check|0_0 (the local function Main.Check; of a program without a class <<Main>$>g__Check|0_0),
// <>c__DisplayClass1_0.
func findWrittenMethod(part string) string {
	name, rest, _ := strings.Cut(strings.TrimLeft(part, "<"), ">")
	name = strings.TrimPrefix(name, ".") // <.ctor>b__0
	if local, found := strings.CutPrefix(strings.TrimPrefix(rest, "$>"), "g__"); found {
		local, _, _ = strings.Cut(local, "|")
		name += "." + local
	}
	return name
}

func plainDotNetPart(part string) string {
	if i := strings.IndexAny(part, "`[<(@"); i >= 0 {
		part = part[:i]
	}
	if strings.HasPrefix(part, "lambda_method") { // compiled expressions, numbered
		return "lambda_method"
	}
	return part
}
