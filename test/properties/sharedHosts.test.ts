import { describe, expect, it } from 'vitest'
import { violationsOf } from '../checker/checkPlan.ts'
import { sharedHosts } from '../generators/sharedHosts.ts'
import { outcomeOf } from './randomCase.ts'

describe('groups of pods that share a machine', () => {
  // More than `MOST_FOLLOWED` pods: a plan is not made again for a few refused pods.
  it.each([2, 4])('are never torn apart between machines that have room for a part: groups of %i', { timeout: 60_000 }, (size) => {
    const { refused } = outcomeOf(sharedHosts(1_004, size))
    expect([...refused.keys()]).toEqual([])
  })

  it.each([2, 3, 4])('keep every rule in groups of %i', (size) => {
    const given = sharedHosts(120, size)
    const { decision, refused } = outcomeOf(given)
    expect([...refused.keys(), ...violationsOf(given, decision)]).toEqual([])
  })
})
