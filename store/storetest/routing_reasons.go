package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reasons why a statement does not run as it stands where the tables are distributed.
const (
	ofOnePostgres = "another form of it runs there"
	ofTheWriter   = "the writer of events runs it on the node of its shard"
	partOfOthers  = "it is a part of statements that name their projects, or of lists"
)

// statementsOfAllNodes has the statements that do not name projects, by the reason.
var statementsOfAllNodes = map[string]string{
	ofOnePostgres: `findOwnersOfIssues readLastAndRefusal selectIntakeProjectOfKey selectSeveralIssues`,
	ofTheWriter: `addCounted addEvents addFingerprints checkCounted checkIssues checkQuotas countDays countEnvironments countHours countIssues
		countNewIssues countReleases countSpikes failCounted failOverQuota findCountedKeys findEventIDs findIssuesByFingerprint
		findNewestDictionary findStored insertDeliveriesOfOne listCounted listNewIssueCounts lockIssues makeIssues reopenIssue`,
	partOfOthers: `listActivity listEventMarks listEventsOfIssue listEventsWithTags noiseColumns
		pendingDeliveries selectDeliveries selectFixOutcomes selectIssues selectLabels selectManagedProjects selectProblems
		selectProjects selectReleaseNames selectReleases selectSetupProgress selectSourceMaps`,
	"it counts or lists something of all projects": `countNoise countOpenOfProjects countOpenProblems countOverdue countStatuses findLiveIssues
		listAllCounted listManagedProjects listProjectUsage listProjects maskedEnvironments maskedReleases noteFirstEvents
		selectProjectsOfRelease selectReleasedAt`,
	"it finds the project of an id": `findLiveIssue findOwnerOfEvent findOwnerOfIssue findOwnersAnywhere findProjectsOfIssues
		findSetupAppNamed findSourceMapOwner projectsOfDelivery`,
	"it is about webhooks, which hear of all projects": `countPending failDeliveries findLastDelivery isUsed listDueWebhooks
		projectsOfDue
		readOperatorState readQueueState`,
	"a job looks for projects that have something to do": `dueFixes findUntrainedProjects listUnreadIssues listUnsettled projectsOfClaims
		projectsOfIgnored projectsOfLapsed projectsOfQuiet projectsWithoutGrams selectToJudge selectUnjudged waitingToJudge`,
	"a job deletes what is old": `deleteDictionaries deleteEventIDs deleteNotStored deleteHiddenIssues deleteSent deleteSpikes
		dropChangedPullRequests dropDeployCommits dropDeployPullRequests dropMergedPullRequests`,
	"a backup is of all projects": `endPendingInCopy listDumpedBlobs`,
}

// asksAllNodes returns the reasons why statements may ask all nodes, by their names.
func asksAllNodes(t *testing.T) map[string]string {
	reasons := map[string]string{}
	for reason, names := range statementsOfAllNodes {
		for _, name := range strings.Fields(names) {
			require.NotContains(t, reasons, name)
			reasons[name] = reason
		}
	}
	return reasons
}
