package web

import "errand/core"

// agentDoor is how an agent connects an application.
type agentDoor struct {
	Prompt string // with the setup key that was just made; empty without one
	Keys   int64  // that are valid now
	Apps   []setupApp
	More   int // apps that are not shown
}

// setupApp is an application with the steps of its setup. The name is empty for an outline of the steps.
type setupApp struct {
	Name  string
	Steps []step
}

// maxSetupApps is how many applications the page of the first run shows.
const maxSetupApps = 3

// readSetup reads how far agents are, with the newest applications.
func (v *visit) readSetup(door *agentDoor, most int) error {
	progress, err := callOperation(v, core.GetSetupProgress, nil)
	if err != nil {
		return err
	}
	door.Keys = progress.SetupKeysActive
	for _, app := range progress.Data[:min(len(progress.Data), most)] {
		door.Apps = append(door.Apps, setupApp{app.Project.Name, v.listSetupSteps(&app, true)})
	}
	door.More = len(progress.Data) - len(door.Apps)
	if len(door.Apps) == 0 {
		door.Apps = []setupApp{{Steps: v.listSetupSteps(&core.AppProgress{}, door.Keys > 0)}}
	}
	return nil
}

// firstErrorStep is the place of the first error in the list of the steps. It shows that those before it work, also the ones that
// nobody has reported.
const firstErrorStep = 3

// listSetupSteps lists the steps of a setup. The first one that is missing is waited for, if somebody is at work.
func (v *visit) listSetupSteps(app *core.AppProgress, hasBegun bool) []step {
	steps := []step{
		{Name: "Connected", Text: app.Agent}, {Name: "SDK installed"}, {Name: "Test event"}, {Name: "First error of the app"},
		{Name: "First deploy"},
	}
	reached := -1 // the last step up to the first error that is done
	for i, at := range []core.Time{app.ConnectedAt, app.SDKInstalledAt, app.TestEventAt, app.FirstEventAt, app.FirstDeployAt} {
		if at.IsZero() {
			continue
		}
		done := v.at(at)
		steps[i].State, steps[i].At = "done", &done
		if i <= firstErrorStep {
			reached = i
		}
	}
	for i := range steps {
		switch {
		case steps[i].At != nil:
		case i < reached:
			steps[i].Text = "left out"
		case hasBegun:
			steps[i].State, steps[i].Text = "now", "waiting …"
			hasBegun = false
		}
	}
	return steps
}

// takeSetupKey makes a setup key and shows its prompt. The page answers the form itself: a key stands in no address and no cookie.
func (v *visit) takeSetupKey() error {
	made, err := callOperation(v, core.CreateSetupKey, nil)
	if err != nil {
		return err
	}
	return v.askWelcome(welcomeForm{Agent: agentDoor{Prompt: made.Data.Prompt}})
}
