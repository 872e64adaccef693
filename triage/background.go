package triage

import (
	"slices"
	"strings"
	"unicode"

	"errand/core"
)

// missingAnswer is the answer for a missing record that nobody asked for: the work was started with its id, or reads it from the
// app's own data.
var missingAnswer = answer{category: core.DataCategory, code: inCode, confidence: 0.7,
	reason: "Work in the background expects a record that is not there."}

// isMissingInBackground reports whether a rule says that a record is missing, in work that nobody waits for.
func isMissingInBackground(byTitle *wordingRule, byType *typeRule, culprit string) bool {
	isMissing := byTitle != nil && byTitle.isMissingRecord || byType != nil && byType.isMissingRecord
	return isMissing && isBackground(cutText(culprit))
}

// backgroundWords are the words in names of such work, from queues, schedulers and their users.
var backgroundWords = []string{
	"job", "jobs", "worker", "workers", "task", "tasks", "sidekiq", "resque", "celery", "rq", "cron", "cronjob", "queue", "queues",
	"consumer", "consumers", "import", "importer", "rake", "scheduler", "scheduled", "schedule", "hangfire", "quartz", "batch",
	"subscriber", "bullmq", "goodjob", "delayed", "activejob", "lambda", "listener", "listeners", "command", "commands",
}

// requestWords are the words of code that answers requests, which may well be about jobs.
var requestWords = []string{"controller", "controllers", "views", "router", "routes", "endpoint", "endpoints", "resolver", "resolvers"}

// isBackground reports whether a culprit names work that nobody waits for, such as Sidekiq/PriceImport or App\Jobs\SendOrderMail.
// A path, such as /jobs/{id} or GET /tasks, belongs to a request.
func isBackground(culprit string) bool {
	if strings.HasPrefix(culprit, "/") || strings.Contains(culprit, " /") || strings.Contains(culprit, "://") {
		return false
	}
	words := splitNames(culprit)
	isWordOf := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return isWordOf(backgroundWords) && !isWordOf(requestWords)
}

// splitNames returns the words of names in lower case, and splits names at capital letters: PriceImport has two words.
func splitNames(text string) (words []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	wasLower := false
	for _, r := range text {
		isPart := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !isPart || unicode.IsUpper(r) && wasLower {
			end()
		}
		if isPart {
			word.WriteRune(r)
		}
		wasLower = isPart && !unicode.IsUpper(r)
	}
	end()
	return words
}
