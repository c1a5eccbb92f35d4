import { describe, expect, it } from 'vitest'
import { applied } from '../../../test/builders/applied.ts'
import { ago, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { SOME_LINKS } from '../../../test/builders/links.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { observation, writtenCondition } from '../../../test/builders/observation.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import type { Condition } from '../../model/condition.ts'
import { splitLink } from '../../model/conditionLinks.ts'
import { stepNodeClaim } from './stepNodeClaim.ts'

describe('a claim whose generation moved', () => {
  it('LC-04 has its conditions stamped with the new one, and stays Ready since it was', () => {
    const up = [...nodeClaim().status.conditions, condition('Drifted'), condition('Ready')]
    const before = observation({ claim: nodeClaim({ meta: { generation: 2 }, status: { conditions: up } }), nodes: [node()] })
    const after = applied(before, stepNodeClaim(before).actions)
    const stamped = ['Launched', 'Registered', 'Initialized', 'Ready']
    const want = up.map((each) => ({ ...each, observedGeneration: stamped.includes(each.type) ? 2 : 1 }))
    expect(after.claim.status.conditions).toEqual(expect.arrayContaining(want))
    expect(stepNodeClaim(after).actions).toEqual([])
  })

  it('keeps what a condition says, with one link', () => {
    const linked = { settings: settings({ links: SOME_LINKS }), nodes: [node()] }
    const message = `machine made\n${SOME_LINKS.portal}/#@t/x`
    const up = [condition('Launched', { message }), ...nodeClaim().status.conditions.slice(1)]
    const before = observation({ ...linked, claim: nodeClaim({ meta: { generation: 2 }, status: { conditions: up } }) })
    const said = writtenCondition(stepNodeClaim(before).actions, 'Launched')?.message ?? ''
    expect(splitLink(splitLink(said).text)).toEqual({ text: 'machine made' })
  })

  it('CT-03 and that ends stays Ready since it was while its machine ends, and Unknown where it was', () => {
    const rootAfter = (conditions: readonly Condition[]) => {
      const meta = { generation: 2, deletedAt: ago(SECOND) }
      const before = observation({ claim: nodeClaim({ meta, status: { conditions } }), instance: instance() })
      const after = applied(before, stepNodeClaim(before).actions).claim.status.conditions
      expect(after).toContainEqual(expect.objectContaining({ type: 'InstanceTerminating', status: 'True' }))
      return after.at(-1)
    }
    const up = nodeClaim().status.conditions
    expect(rootAfter([...up, condition('Ready')])).toEqual(condition('Ready', { observedGeneration: 2 }))
    const launched = condition('Launched')
    expect(rootAfter([launched, condition('Ready', { status: 'Unknown' })])).toMatchObject({
      status: 'Unknown',
      lastTransitionAt: launched.lastTransitionAt,
    })
  })
})
