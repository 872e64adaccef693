package fixes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/fixes"
)

const (
	oldCommit = "aaaaaaa1111111111111111111111111111111aa"
	fixCommit = "bbbbbbb2222222222222222222222222222222bb"
	newCommit = "ccccccc3333333333333333333333333333333cc"
)

func TestParseCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"whole":               {fixCommit, fixCommit},
		"short":               {"abc1234", "abc1234"},
		"capitals":            {"ABC1234F", "abc1234f"},
		"6 characters":        {"abc123", ""},
		"41 characters":       {fixCommit + "0", ""},
		"not hex":             {"abc123g", ""},
		"a space":             {"abc1234 ", ""},
		"empty":               {"", ""},
		"digits of elsewhere": {"١٢٣٤٥٦٧", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			commit, err := fixes.ParseCommit(test.text)

			require.Equal(t, test.want, commit)
			require.Equal(t, test.want == "", err != nil)
		})
	}
}

func TestIsSameCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"same":                  {fixCommit, fixCommit, true},
		"first is shorter":      {fixCommit[:7], fixCommit, true},
		"second is shorter":     {fixCommit, fixCommit[:12], true},
		"other case":            {strings.ToUpper(fixCommit), fixCommit[:8], true},
		"too short":             {fixCommit[:6], fixCommit, false},
		"both too short":        {"abc123", "abc123", false},
		"other":                 {fixCommit, oldCommit, false},
		"same start, other end": {fixCommit[:10] + "0", fixCommit, false},
		"not hex":               {"release", "release", false},
		"empty":                 {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, fixes.IsSameCommit(test.a, test.b))
			require.Equal(t, test.want, fixes.IsSameCommit(test.b, test.a))
		})
	}
}

func TestParsePullRequest(t *testing.T) {
	t.Parallel()
	const want = "https://github.com/acme/shop/pull/42"
	for name, test := range map[string]struct{ text, repository, want string }{
		"plain":                {want, "", want},
		"of the repository":    {want, "acme/shop", want},
		"capitals":             {"HTTPS://GitHub.com/Acme/Shop/pull/42", "acme/shop", want},
		"other repository":     {want, "acme/other", ""},
		"name begins the same": {"https://github.com/acme/shop2/pull/42", "acme/shop", ""},
		"http":                 {"http://github.com/acme/shop/pull/42", "", ""},
		"other host":           {"https://gitlab.com/acme/shop/pull/42", "", ""},
		"host begins the same": {"https://github.com.evil.example/acme/shop/pull/42", "", ""},
		"user before the host": {"https://github.com@evil.example/acme/shop/pull/42", "", ""},
		"port":                 {"https://github.com:8443/acme/shop/pull/42", "", ""},
		"trailing slash":       {want + "/", "", ""},
		"files":                {want + "/files", "", ""},
		"query":                {want + "?w=1", "", ""},
		"fragment":             {want + "#issuecomment-1", "", ""},
		"issue":                {"https://github.com/acme/shop/issues/42", "", ""},
		"no number":            {"https://github.com/acme/shop/pull/", "", ""},
		"zero":                 {"https://github.com/acme/shop/pull/0", "", ""},
		"leading zero":         {"https://github.com/acme/shop/pull/042", "", ""},
		"form of Gitea":        {"https://github.com/acme/shop/pulls/42", "", ""},
		"form of GitLab":       {"https://github.com/acme/shop/-/merge_requests/42", "", ""},
		"two dots":             {"https://github.com/acme/../pull/42", "", ""},
		"escaped slash":        {"https://github.com/acme%2Fshop/pull/42", "", ""},
		"new line":             {want + "\n", "", ""},
		"too long":             {"https://github.com/" + strings.Repeat("a", 500) + "/shop/pull/42", "", ""},
		"empty":                {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			url, err := fixes.Hosts{"github.com"}.ParsePullRequest(test.text, test.repository)

			require.Equal(t, test.want, url)
			require.Equal(t, test.want == "", err != nil)
		})
	}
}

func TestParsePullRequestOnSeveralHosts(t *testing.T) {
	t.Parallel()
	hosts := fixes.ParseHosts(" github.com,GitLab.example:8443, ,git.example,git.example")
	require.Equal(t, fixes.Hosts{"github.com", "gitlab.example:8443", "git.example"}, hosts)
	const request = "https://gitlab.example:8443/acme/web/shop/-/merge_requests/42"
	for text, want := range map[string]string{
		request:                                "acme/web/shop",
		strings.ToUpper(request):               "acme/web/shop",
		"https://git.example/acme/shop/pull/7": "acme/shop",
		"https://git.example/acme/shop/-/merge_requests/7": "acme/shop",
		"https://github.com/acme/shop/pull/7":              "acme/shop",
		"https://github.com/acme/shop/-/merge_requests/7":  "",
		"https://gitlab.example/acme/shop/pull/7":          "",
		"https://gitlab.com/acme/shop/-/merge_requests/7":  "",
		"http://git.example/acme/shop/-/merge_requests/7":  "",
		"https://git.example/shop/-/merge_requests/7":      "",
		"https://git.example/a/../b/-/merge_requests/7":    "",
		"https://git.example/a//b/-/merge_requests/7":      "",
		"https://git.example/a/-/b/-/merge_requests/7":     "",
		request + "/diffs": "",
		request + "?tab=1": "",
		request + "\n":     "",
		"https://gitlab.example:8443/acme/shop/-/merge_requests/0":                             "",
		"https://gitlab.example:8443/" + strings.Repeat("a/", 22) + "shop/-/merge_requests/1":  "",
		"https://gitlab.example:8443/" + strings.Repeat("a", 500) + "/shop/-/merge_requests/1": "",
	} {
		url, err := hosts.ParsePullRequest(text, "")
		if want == "" {
			require.ErrorContains(t, err, "https://git.example/<group>/<project>/-/merge_requests/<number>", text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, strings.ToLower(text), url)
		_, err = hosts.ParsePullRequest(text, want)
		require.NoError(t, err)
		_, err = hosts.ParsePullRequest(text, "acme/other")
		require.ErrorContains(t, err, "must be a pull request of the project's repository, acme/other")
	}
}

// TestParsePullRequestOfGitea checks that the form of Gitea and Forgejo becomes the one that is stored.
func TestParsePullRequestOfGitea(t *testing.T) {
	t.Parallel()
	hosts := fixes.Hosts{"git.example:3000"}
	url, err := hosts.ParsePullRequest("https://Git.example:3000/Acme/Shop/pulls/7", "acme/shop")
	require.NoError(t, err)
	require.Equal(t, "https://git.example:3000/acme/shop/pull/7", url)
	for _, path := range []string{"pulls", "pulls/", "pulls/0", "pulls/7/files", "pullss/7"} {
		_, err := hosts.ParsePullRequest("https://git.example:3000/acme/shop/"+path, "")
		require.ErrorContains(t, err, "https://git.example:3000/<owner>/<repo>/pulls/<number> or ", path)
	}
}

func TestParseRemote(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://github.com/Acme/Shop.git":               "github.com Acme/Shop",
		"https://x-access-token:s3@github.com/acme/shop": "github.com acme/shop",
		"http://git.example:3000/acme/shop/":             "git.example:3000 acme/shop",
		"git@github.com:acme/shop.git":                   "github.com acme/shop",
		"ssh://git@git.example:2222/acme/web/shop.git":   "git.example acme/web/shop",
		"git@gitlab.example:acme/web/shop":               "gitlab.example acme/web/shop",
		"git://git.example/acme/shop.git\n":              "git.example acme/shop",
		"/srv/git/shop.git":                              " ",
		"../shop":                                        " ",
		"":                                               " ",
	} {
		host, path, ok := fixes.ParseRemote(url)
		require.Equal(t, want, host+" "+path, url)
		require.Equal(t, want != " ", ok)
	}
}

func TestDeployContainsFix(t *testing.T) {
	t.Parallel()
	const pullRequest = "https://github.com/acme/shop/pull/42"
	deploy := fixes.Deploy{Commit: newCommit, Commits: []string{fixCommit, oldCommit[:7]}, PullRequests: []string{pullRequest}}
	for name, test := range map[string]struct {
		link fixes.Link
		want bool
	}{
		"its commit":                  {fixes.Link{Commit: newCommit}, true},
		"its commit, abbreviated":     {fixes.Link{Commit: newCommit[:7]}, true},
		"one of its commits":          {fixes.Link{Commit: strings.ToUpper(fixCommit[:9])}, true},
		"abbreviated in the deploy":   {fixes.Link{Commit: oldCommit}, true},
		"another commit":              {fixes.Link{Commit: "ddddddd"}, false},
		"its pull request":            {fixes.Link{PullRequest: pullRequest}, true},
		"another pull request":        {fixes.Link{PullRequest: pullRequest + "0"}, false},
		"merged, by the merge commit": {fixes.Link{PullRequest: pullRequest + "0", MergeCommit: fixCommit}, true},
		"nothing":                     {fixes.Link{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, deploy.Contains(test.link))
		})
	}
}
