package scrub

import "testing"

// TestPrintedByPHP has the forms of var_dump, print_r and serialize.
func TestPrintedByPHP(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{`["password"]=> string(12) "Zq7hunter2Kx"`, `["password"]=> string(12) "*"`},
		{"array(1) {\n  [\"password\"]=>\n  string(12) \"Zq7hunter2Kx\"\n}", "array(1) {\n  [\"password\"]=>\n  string(12) \"*\"\n}"},
		{"[\"password\":protected]=>\n  string(12) \"Zq7hunter2Kx\"", "[\"password\":protected]=>\n  string(12) \"*\""},
		{`["password":"App\User":private]=> string(12) "Zq7hunter2Kx"`, `["password":"App\User":private]=> string(12) "*"`},
		{`[\"password\":\"U\":private]=>\n  string(12) \"Zq7hunter2Kx\"`, `[\"password\":\"U\":private]=>\n  string(12) \"*\"`},
		{`["password"]=> string(5) "a"b"c" ["n"]=> int(1)`, `["password"]=> string(5) "*" ["n"]=> int(1)`},
		{`["password"]=> string(900) "Zq7hunter2Kx"`, `["password"]=> string(900) "*"`},
		{"'password' => string 'Zq7hunter2Kx' (length=12)", "'password' => string '*' (length=12)"},
		{"[\"pin\"]=>\n  int(4711)\n", "[\"pin\"]=>\n  int(*)\n"},
		{"[\"session\"]=>\n  array(1) {\n    [\"id\"]=>\n    string(3) \"abc\"\n  }\n  x", "[\"session\"]=>\n  array(1) *\n  x"},
		{"[session] => Array\n    (\n        [id] => abc\n    )\n\n[n] => 1", "[session] => Array\n    *\n\n[n] => 1"},
		{"'session' => array (\n  'id' => 'abc',\n), x", "'session' => array *, x"},
		{`"session" => array:1 [ "id" => "abc" ]`, `"session" => array:1 *`},
		{`["session"]=> object(App\Session)#3 (1) { ["id"]=> string(3) "abc" } x`, `["session"]=> object(App\Session)#3 (1) * x`},
		{"[password:protected] => Zq7hunter2Kx", "[password:protected] => *"},
		{"[password:App\\User:private] => Zq7hunter2Kx", "[password:App\\User:private] => *"},
		{`a:1:{s:8:"password";s:12:"Zq7hunter2Kx";s:1:"n";i:1;}`, `a:1:{s:8:"password";s:12:"*";s:1:"n";i:1;}`},
		{`s:8:\"password\";s:5:\"a\"b\"c\";`, `s:8:\"password\";s:5:\"*\"b\"c\";`},
		{`password|s:12:"Zq7hunter2Kx";n|i:1;`, `password|s:12:"*";n|i:1;`},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"[\"password\"]=>\n  NULL\n  [\"name\"]=>\n  string(3) \"bob\"", `["password"]=> string(0) ""`, `["password"]=> bool(true)`,
		`["name":"App\Auth\Session":private]=> string(3) "bob"`, `["name":"Session":private]=> string(3) "bob"`,
		"[name:Session:private] => bob", `s:4:"name";s:3:"bob";`, "[\"password\"]=>\n  uninitialized(string)",
	)
}

func TestPrintedByConstructors(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{`{"credentials": [["a", "b"]], "n": 1}`, `{"credentials": *, "n": 1}`},
		{`{ password: BinData(0,"Zq7hunter2Kx"), n: 1 }`, `{ password: *, n: 1 }`},
		{`password: BinData(kind, "Zq7hunter2Kx")`, `password: *`},
		{`password: new UUID("Zq7hunter2Kx") x`, `password: * x`},
		{`password=Some(Text("Zq7hunter2Kx")), n=1`, `password=*, n=1`},
		{`password=Pair("bob", 'Zq7hunter2Kx')`, `password=*`},
		{`Authorization: Key("Zq7hunter2Kx")`, `Authorization: *`},
		{`password: BinData(0,"cut off`, `password: *`},
		{"Map(user -> bob, password -> Zq7hunter2Kx)", "Map(user -> bob, password -> *)"},
		{`{password,<<"Zq7hunter2Kx">>}`, `{password,<<"*">>}`},
		{`{:password, "swordfish"}`, `{:password, "*"}`},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"session = Session(engine)", "password -> Zq7hunter2Kx", "$this->token->value", `{:password, "can't be blank"}`,
		`{token,"expired"}`, `{password,"required"}`, "Map(token -> null)", `token_error=Failure("no answer")`, "password :: Text -> Bool",
	)
}

func TestPrintedByValidators(t *testing.T) {
	t.Parallel()
	pydantic := func(field, value string) string {
		return "1 validation error for User\n" + field + "\n  String should be short [type=too_long, input_value='" + value + "', input_type=str]"
	}
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"Field error in object 'loginForm' on field 'password': rejected value [Zq7hunter2Kx]; codes [Size.password,Size]; arguments []",
			"Field error in object 'loginForm' on field 'password': rejected value *; codes [Size.password,Size]; arguments []"},
		{"on field 'password': rejected value [a]b[c]; codes [x]", "on field 'password': rejected value *; codes [x]"},
		{`password: invalid value "Zq7hunter2Kx"`, `password: invalid value "*"`},
		{pydantic("password", "Zq7hunter2Kx"), pydantic("password", "*")},
		{pydantic("user.password", "Zq7hunter2Kx"), pydantic("user.password", "*")},
		{`"password" with value "Zq7hunter2Kx" fails to match`, `"password" with value "*" fails to match`},
		{`Cast to Number failed for value "Zq7hunter2Kx" (type string) at path "pin" for model "User"`,
			`Cast to Number failed for value "*" (type string) at path "pin" for model "User"`},
		{"Path `password` (`Zq7hunter2Kx`) is shorter than", "Path `password` (`*`) is shorter than"},
		{"The value 'Zq7hunter2Kx' is not valid for Password.", "The value '*' is not valid for Password."},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		pydantic("user.name", "Zq7hunter2Kx"), "on field 'name': rejected value [bob]; codes []",
		"on field 'password': rejected value [null]; codes []", "on field 'password': rejected value []; codes []",
		`unexpected token: expected value "a1b2c3d4"`, `"name" with value "bob" fails`, `value "bob" at path "name"`,
		"field 'password' ('Password') is required",
	)
}

func TestBoundStatements(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"(SQL: insert into `users` (`name`, `password`) values (Bob, Zq7hunter2Kx))",
			"(SQL: insert into `users` (`name`, `password`) values (Bob, *))"},
		{"(Connection: sqlsrv, SQL: insert into [users] ([name], [pin], [at]) values (O'Brien, 4711, 2024-01-01 10:00:00))",
			"(Connection: sqlsrv, SQL: insert into [users] ([name], [pin], [at]) values (O'Brien, *, 2024-01-01 10:00:00))"},
		{`(SQL: insert into "u" ("name", "password") values (Smith, Bob, Zq7hunter2Kx))`,
			`(SQL: insert into "u" ("name", "password") values (*, *, *))`},
		{`(SQL: insert into "u" ("name", "password") values (Bob, a)b), (Eve, x1))`,
			`(SQL: insert into "u" ("name", "password") values (Bob, *), (Eve, *))`},
		{`SQL: insert into u (n, password) values ("a", "cut`, `SQL: insert into u (n, password) values ("a", "*`},
		{`(SQL: insert into "u" ("name", "password") values (Bob, a1), (Eve, x1) on conflict do nothing)`,
			`(SQL: insert into "u" ("name", "password") values (Bob, *), (Eve, *) on conflict do nothing)`},
		{"(SQL: update `users` set `password` = Zq7hunter2Kx, `n` = 1)", "(SQL: update `users` set `password` = *, `n` = 1)"},
		{"[SQL: INSERT INTO users (name, password) VALUES (?, ?)]\n[parameters: ('bob', 'Zq7hunter2Kx')]",
			"[SQL: INSERT INTO users (name, password) VALUES (?, ?)]\n[parameters: ('bob', '*')]"},
		{"[SQL: INSERT INTO u (at, pin) VALUES ($1::DATE, $2::INTEGER) RETURNING u.id]\n[parameters: (datetime.date(2024, 1, 1), 4711)]",
			"[SQL: INSERT INTO u (at, pin) VALUES ($1::DATE, $2::INTEGER) RETURNING u.id]\n[parameters: (datetime.date(2024, 1, 1), *)]"},
		{"[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: [('a, b', 'c'), ('d', 'e')  ... displaying 10 of 20 total bound " +
			"parameter sets ...  ('f', 'g')]]",
			"[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: [('a, b', '*'), ('d', '*')  ... displaying 10 of 20 total bound " +
				"parameter sets ...  ('f', '*')]]"},
		{"[SQL: UPDATE users SET password=?, n=? WHERE users.id = ?]\n[parameters: ('Zq7hunter2Kx', 2, 1)]",
			"[SQL: UPDATE users SET password=?, n=? WHERE users.id = ?]\n[parameters: ('*', 2, 1)]"},
		{"[SQL: SELECT id FROM users WHERE users.token = %s]\n[parameters: ('Zq7hunter2Kx',)]",
			"[SQL: SELECT id FROM users WHERE users.token = %s]\n[parameters: ('*',)]"},
		{"[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: ('bob', 'x', 5)]",
			"[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: ('*', '*', *)]"},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"[SQL: SELECT users.id, users.password FROM users WHERE users.id = ?]\n[parameters: ('b-17',)]",
		"[SQL: INSERT INTO u (name, password) VALUES (?, ?)]\n[parameters: ('bob', None)]",
		"(SQL: insert into `users` (`name`, `email`) values (Bob, a@b.c))", "parameters: ('a', 'b')",
		"[SQL: INSERT INTO u (id, password) VALUES (now(), :1)]", "SQL: insert into u (password) values (DEFAULT)",
	)
}

func TestEscapedQuotesAndTags(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{`{"body":"{\u0022password\u0022:\u0022Zq7hunter2Kx\u0022,\u0022n\u0022:1}"}`,
			`{"body":"{\u0022password\u0022:\u0022*\u0022,\u0022n\u0022:1}"}`},
		{`{\u0022pin\u0022: \u0022a\\\u0022b\u0022}`, `{\u0022pin\u0022: \u0022*\u0022}`},
		{`{\\u0022password\\u0022:\\u0022x\\u0022}`, `{\\u0022password\\u0022:\\u0022*\\u0022}`},
		{`{\u0022credentials\u0022:{\u0022a\u0022:\u0022b\u0022}}`, `{\u0022credentials\u0022:*}`},
		{"{&quot;password&quot;:&quot;Zq7hunter2Kx&quot;, &quot;n&quot;:1}", "{&quot;password&quot;:&quot;*&quot;, &quot;n&quot;:1}"},
		{"{&#39;password&#39;: &#39;x&#39;} {&#34;token&#34;:&#34;y&#34;}", "{&#39;password&#39;: &#39;*&#39;} {&#34;token&#34;:&#34;*&#34;}"},
		{"&lt;password&gt;Zq7hunter2Kx&lt;/password&gt;", "&lt;password&gt;*&lt;/password&gt;"},
		{"&lt;u&gt;bob&lt;/u&gt;&lt;ns:password a=&quot;b&quot;&gt;x&lt;/ns:password&gt;",
			"&lt;u&gt;bob&lt;/u&gt;&lt;ns:password a=&quot;b&quot;&gt;*&lt;/ns:password&gt;"},
		{"<key>password</key>\n\t<string>Zq7hunter2Kx</string>", "<key>password</key>\n\t<string>*</string>"},
		{"<name>password</name><value><string>x</string></value>", "<name>password</name><value><string>*</string></value>"},
		{`<string name="auth_token" translatable="false">Zq7hunter2Kx</string>`, `<string name="auth_token" translatable="false">*</string>`},
		{`<property name="hibernate.password">swordfish</property>`, `<property name="hibernate.password">*</property>`},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"{&quot;name&quot;:&quot;bob&quot;}", "&lt;password&gt;", "a &gt; b &amp; c",
		"<key>password</key><true/><key>n</key><string>bob</string>",
		"<key>name</key><string>bob</string>", "<name>password</name><type>text</type>",
		`<label name="password">Your password</label>`, `<string name="password">Password</string>`,
		`<string name="token">Expired</string>`, `<div name="password"><b>x</b></div>`, `<a key="session">Close</a>`,
	)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	requireTexts(t, DefaultRules().ScrubText, []textCase{
		{"keytool -storepass Zq7hunter2Kx -keypass 'b c' -v", "keytool -storepass * -keypass '*' -v"},
		{"Connect -Password Zq7hunter2Kx", "Connect -Password *"},
		{"bindpw=Zq7hunter2Kx", "bindpw=*"},
		{"userPassword:: WnE3aHVudGVyMkt4", "userPassword:: *"},
	})
	requireUnchanged(t, DefaultRules().ScrubText,
		"the -password is wrong", "cmd -password -x", "run -password", "a-password x", "- password x", "-token x", "Auth:: failed",
	)
}
