import { expect, it } from 'vitest'
import { planLaunch } from '../../shared/engine/launch/planLaunch.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { catalog } from '../builders/catalog.ts'
import { NOW } from '../builders/clock.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { pods } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'

it('what a decision says a launch takes is what a launch takes, and at one price that is not the same zone for all', () => {
  const { actions } = decideProvisioning(snapshot({ objects: { pod: pods(60, { cpus: 3 }) } }))
  const zones = new Set<string>()
  let claims = 0
  for (const action of actions) {
    if (action.kind !== 'createClaim') continue
    const { draft, choice } = action
    const made = nodeClaim({ name: draft.name, stage: 'created', spec: draft.spec })
    expect(planLaunch(made, catalog(), [], NOW).candidates[0]?.choice).toEqual(choice)
    zones.add(choice.zone)
    claims++
  }
  expect(claims).toBeGreaterThan(3)
  expect(zones.size).toBeGreaterThan(1)
})
