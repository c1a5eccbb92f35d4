import { describe, expect, it } from 'vitest'
import { violationsOf } from '../checker/checkPlan.ts'
import { prepaid } from '../generators/prepaid.ts'
import { outcomeOf } from './randomCase.ts'

/** The new machines by size and capacity type. */
function machinesFor(pods: number): readonly string[] {
  const given = prepaid(pods)
  const { decision, refused } = outcomeOf(given)
  expect([...refused.keys(), ...violationsOf(given, decision)]).toEqual([])
  return decision.actions.flatMap((action) =>
    action.kind === 'createClaim' ? [`${action.choice.size} ${action.choice.capacityType}`] : [],
  )
}

describe('machines that are prepaid', () => {
  it('are used before anything is bought, though spot has a third of their price', () => {
    const machines = machinesFor(300)
    expect(machines.filter((each) => each.endsWith('reserved')).sort()).toEqual([
      'Standard_E4as_v6 reserved',
      'Standard_E4as_v6 reserved',
      'Standard_E64as_v6 reserved',
    ])
    expect(machines.filter((each) => each.endsWith('spot')).length).toBeGreaterThan(0)
  })

  it('are not used for nothing: few pods take the smaller one', () => {
    expect(machinesFor(3)).toEqual(['Standard_E4as_v6 reserved'])
  })
})
