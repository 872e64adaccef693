package triage

import (
	"slices"
	"strings"
	"unicode"

	"errand/core"
)

// missingAnswer is for a record that is not there where nobody asked for it: the work was started with its id, or reads it
// from data of the app's own.
var missingAnswer = answer{category: core.DataCategory, code: inCode, confidence: 0.7,
	reason: "Work in the background expects a record that is not there."}

// isMissingInBackground reports whether a rule says that a record is missing, in work that nobody waits for.
func isMissingInBackground(byTitle *wordingRule, byType *typeRule, culprit string) bool {
	isMissing := byTitle != nil && byTitle.isMissingRecord || byType != nil && byType.isMissingRecord
	return isMissing && isBackground(cutText(culprit))
}

// backgroundWords are the words that queues, schedulers and those who write for them name such work with.
var backgroundWords = []string{
	"job", "jobs", "worker", "workers", "task", "tasks", "sidekiq", "resque", "celery", "rq", "cron", "cronjob", "queue", "queues",
	"consumer", "consumers", "import", "importer", "rake", "scheduler", "scheduled", "schedule", "hangfire", "quartz", "batch",
	"subscriber", "bullmq", "goodjob", "delayed", "activejob", "lambda", "listener", "listeners", "command", "commands",
}

// requestWords are the words of what answers requests, which may well be about jobs.
var requestWords = []string{"controller", "controllers", "views", "router", "routes", "endpoint", "endpoints", "resolver", "resolvers"}

// isBackground reports whether a culprit names work that nobody waits for, such as Sidekiq/PriceImport or
// App\Jobs\SendOrderMail. A path, such as /jobs/{id} or GET /tasks, is a request's.
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

// splitNames returns the words of names in small letters, also those that begin with a capital letter: PriceImport has two.
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
