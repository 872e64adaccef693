package scrub

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretNames(t *testing.T) {
	t.Parallel()
	masked := strings.Fields(`
		password Password PASSWORD passwd PassWord pass_word pass-wd user_password dbPassword DB_PASSWORD passwords password2
		new-password
		newPassword1 userpassword spring.datasource.password passphrase passcode password_confirmation PasswordHash a_password_here
		pwd PWD mysql_pwd MYSQL_PWD dbpwd userPwd pass db_pass smtpPass dbpass
		secret SECRET the_secret client_secret clientSecret secrets SECRET_KEY secret_key_base AWS_SECRET_ACCESS_KEY secretValue
		token Token access_token accessToken accesstoken ACCESS_TOKEN refresh-token id_token idtoken tokens device_tokens tokenValue
		token2 auth_tokens
		api_key apiKey APIKey api-key apikey API_KEY_V2 X-Api-Key x-apikey stripeApiKey access_key AccessKeyId private_key privateKey
		PRIVATE-KEY
		encryption_key signing-key masterKey rsa_key sshKey Ocp-Apim-Subscription-Key X-Service-Key APP_KEY account_key AccountKey
		auth Auth basic_auth basicAuth authorization Authorization HTTP_AUTHORIZATION Proxy-Authorization X-Sentry-Auth oauth
		oauth2_token auth_user
		authentication credentials credential creds userCreds cred
		cookie Cookie cookies Set-Cookie set_cookie HTTP_COOKIE auth_cookie
		session Session session_id sessionId sessionid PHPSESSID JSESSIONID connect.session userSession sess_session sessions
		ASP.NET_SessionId sid SID
		csrf CSRF csrftoken csrf_token csrfmiddlewaretoken X-CSRF-Token xsrf XSRF-TOKEN X-Xsrf-Token
		credit_card creditCard CreditCard credit-card-number card_number cardNumber cardnumber cc_number ccNumber debit_card cvv cvc
		card_cvc CVV2 security_code
		ssn SSN user_ssn social_security social_security_number socialSecurityNumber pin PIN
		jwt JWT user_jwt bearer bearer_token otp totp sig X-Amz-Signature X-Amz-Security-Token`)
	masked = append(masked, strings.Fields(`
		password_invalid passwordInvalid password_required token_name tokenName auth_url AUTH_URL session_expired token_error
		TokenExpired AuthError
		PasswordMismatch SecretNotFound InvalidTokenException token_expires_at cookie_path secret_version credential_file
		password_changed_at
		passw0rd p4ssw0rd senha db_senha kennwort client_assertion mfa_code SAMLResponse CONNECTION_STRING connectionString`)...)
	for _, key := range masked {
		require.NotEqual(t, public, judgeDefaultName(key), key)
	}
	notMasked := strings.Fields(`
		author Author authors authored_by authority authenticated is_authenticated authorized unauthorized co_author
		tokenizer tokenize Tokenizer tokenized secretary secretariat passenger passport bypass compass trespass passed passing
		pass_count pass_rate cardinal cardinality discard discarded card cards business_card keyboard monkey key keys cache_key
		primary_key foreignKey
		public_key publicKey PublicKeyToken idempotency_key cookiecutter obsession assessment message processing_id process_id
		business_name
		session_count sessionCount session_timeout session_duration token_type tokenType token_count prompt_tokens_details
		auth_method auth_type authProvider cookie_domain
		id name user email username url status_code inside pinned spinning signature outsider shipping
		x p s _ - 1 Accept Content-Type User-Agent Host Referer X-Request-Id X-Forwarded-For WWW-Authenticate`)
	for _, key := range append(notMasked, "", "naïve", "名前") {
		require.Equal(t, public, judgeDefaultName(key), key)
	}
}

func TestEveryWordIsFound(t *testing.T) {
	t.Parallel()
	for _, list := range secretWords.words {
		for _, w := range list {
			require.NotEqual(t, public, judgeDefaultName(w.text), w.text)
			require.NotEqual(t, public, judgeDefaultName(strings.ToUpper(w.text)), w.text)
			require.NotEqual(t, public, judgeDefaultName("my-"+w.text), w.text)
			require.NotEqual(t, public, judgeDefaultName(strings.Repeat("x_", 200)+w.text), "long keys are judged too")
		}
	}
	for _, name := range wholeKeys {
		require.Equal(t, secret, judgeDefaultName(name))
		require.LessOrEqual(t, len(name), maxWhole)
	}
}

func TestOwnKeys(t *testing.T) {
	t.Parallel()
	r, err := NewRules([]string{"Customer_Ref", "x.y", "NIF"}, nil)
	require.NoError(t, err)
	for _, key := range []string{"customer_ref", "CUSTOMER_REF", "customer-ref", "Customer-Ref", "X.Y", "nif", "password"} {
		require.Equal(t, secret, r.judgeName(key), key)
	}
	for _, key := range []string{"customerref", "customer.ref", "my_customer_ref", "x_y", "manifest", "nifs"} {
		require.Equal(t, public, r.judgeName(key), key)
	}
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "user.name", "X-Thing", "under_score", "9", strings.Repeat("k", 200)} {
		require.NoError(t, CheckKey(key), key)
	}
	for key, want := range map[string]string{
		"": "empty", "a b": "letters, digits", "schlüssel": "letters, digits", "a\n": "letters, digits", "a*": "letters, digits",
		strings.Repeat("k", 201): "at most 200",
	} {
		require.ErrorContains(t, CheckKey(key), want, key)
		_, err := NewRules([]string{key}, nil)
		require.Error(t, err)
	}
}
