package sourcemap

// kind is the kind of a JSON value, by its first byte.
type kind byte

const (
	isText   kind = '"'
	isObject kind = '{'
	isList   kind = '['
	isDigits kind = '0'
	isOther  kind = 'x' // true, false, or no value at all
	isNull   kind = 'n'
)

// peekKind returns the kind of the next value.
func (s *scanner) peekKind() kind {
	switch c := s.peekByte(); {
	case c == '"' || c == '{' || c == '[' || c == 'n':
		return kind(c)
	case c == '-' || '0' <= c && c <= '9':
		return isDigits
	}
	return isOther
}

// walkList calls visit for each entry of a list; visit must read the entry.
func (s *scanner) walkList(visit func() error) error {
	if err := s.expectByte('['); err != nil {
		return err
	}
	if s.peekByte() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := visit(); err != nil {
			return err
		}
		if s.peekByte() == ',' {
			s.pos++
			continue
		}
		return s.expectByte(']')
	}
}

// walkObject calls visit with each key of an object, cut to maxKey bytes; visit must read the
// value.
func (s *scanner) walkObject(maxKey int, visit func(key string) error) error {
	if err := s.expectByte('{'); err != nil {
		return err
	}
	if s.peekByte() == '}' {
		s.pos++
		return nil
	}
	for {
		key, _, err := s.readText(maxKey)
		if err != nil {
			return err
		}
		if err := s.expectByte(':'); err != nil {
			return err
		}
		if err := visit(key); err != nil {
			return err
		}
		if s.peekByte() == ',' {
			s.pos++
			continue
		}
		return s.expectByte('}')
	}
}

// skipValue reads a value and drops it; depth is its nesting level.
func (s *scanner) skipValue(depth int) error {
	if depth > maxDepth {
		return s.refuse("values nested too deep")
	}
	switch s.peekKind() {
	case isText:
		return s.skipText()
	case isDigits:
		_, err := s.readNumber()
		return err
	case isList:
		return s.walkList(func() error { return s.skipValue(depth + 1) })
	case isObject:
		return s.walkObject(0, func(string) error { return s.skipValue(depth + 1) })
	}
	return s.readLiteral()
}
