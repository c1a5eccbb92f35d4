import { describe, expect, it } from 'vitest'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation } from '../../../test/builders/observation.ts'
import type { Resources } from '../../model/resources.ts'
import { consistencyOf, isConsistencyKnown, stepConsistency } from './initialization.ts'

const GPU = 'example.com/gpu'

function check(requests: Resources, promised: Resources, had: Resources) {
  return consistencyOf(nodeClaim({ spec: { requests }, status: { capacity: promised } }), node({ capacity: had }))
}

describe('a node', () => {
  it.each<[sentence: string, requests: Resources, promised: Resources, had: Resources, isConsistent: boolean]>([
    ['CS-01 with all that was promised', { cpu: 1 }, { cpu: 1_000 }, { cpu: 1_000 }, true],
    ['with nine tenths of it', { cpu: 1 }, { cpu: 1_000 }, { cpu: 900 }, true],
    ['with less', { cpu: 1 }, { cpu: 1_000 }, { cpu: 899 }, false],
    ['without it', { [GPU]: 1 }, { [GPU]: 1 }, {}, false],
    ['with less of what nobody asked for', { cpu: 0, memory: 1 }, { cpu: 1_000, memory: 1 }, { cpu: 1, memory: 1 }, true],
    ['without what was asked for and never promised', { [GPU]: 1 }, {}, {}, true],
  ])('%s', (_sentence, requests, promised, had, isConsistent) => {
    const { change, events } = check(requests, promised, had)
    expect(change).toMatchObject({ type: 'ConsistentStateFound', status: isConsistent ? 'True' : 'False' })
    expect(kindsOf(events)).toEqual(isConsistent ? [] : ['publish FailedConsistencyCheck'])
  })

  it('CS-03 with half of the memory that was promised is told of, with the share', () => {
    const gib = 1024 ** 3
    const { change, events } = check({ memory: gib }, { memory: 128 * gib }, { memory: 64 * gib })
    const message = 'expected 137438953472 of resource memory, but found 68719476736 (50.0% of expected)'
    expect(change).toEqual({ type: 'ConsistentStateFound', status: 'False', reason: 'ConsistencyCheckFailed', message })
    expect(events).toMatchObject([{ event: { type: 'Warning', reason: 'FailedConsistencyCheck', message } }])
  })

  it('that is short of several is told of by the first by name, with what it has', () => {
    const { change, events } = check({ memory: 1, cpu: 1 }, { memory: 100, cpu: 4_000 }, { memory: 10, cpu: 1_000 })
    const message = 'expected 4000 of resource cpu, but found 1000 (25.0% of expected)'
    expect(change).toMatchObject({ reason: 'ConsistencyCheckFailed', message })
    expect(events).toMatchObject([{ event: { type: 'Warning', message, subject: { kind: 'nodeClaim' } } }])
  })
})

describe('a claim says again whether its node is consistent', () => {
  const wasShort = condition('ConsistentStateFound', { status: 'False' })
  const before = ['Launched', 'Registered', 'Initialized'].map((type) => condition(type))
  const claim = nodeClaim({ status: { conditions: [...before, wasShort] } })

  it('when that changed', () => {
    expect(isConsistencyKnown(claim, node())).toBe(false)
    expect(kindsOf(stepConsistency(observation({ claim, nodes: [node()] }))?.actions ?? [])).toEqual(['patchStatus'])
    expect(isConsistencyKnown(nodeClaim(), node())).toBe(true)
    expect(stepConsistency(observation({ claim: nodeClaim(), nodes: [node()] }))).toBeUndefined()
  })

  it('not before it is ready, and not while it has no node or several', () => {
    const early = nodeClaim({ stage: 'registered', status: { conditions: [...before.slice(0, 2), wasShort] } })
    expect(stepConsistency(observation({ claim: early, nodes: [node()] }))).toBeUndefined()
    expect(stepConsistency(observation({ claim, nodes: [] }))).toBeUndefined()
    expect(stepConsistency(observation({ claim, nodes: [node(), node()] }))).toBeUndefined()
  })
})
