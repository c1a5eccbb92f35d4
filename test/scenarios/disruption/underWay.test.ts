import { describe, expect, it } from 'vitest'
import { decide } from '../../../shared/engine/loadedCluster.ts'
import { nodeClaimName } from '../../../shared/model/ids.ts'
import { refOf } from '../../../shared/model/pod.ts'
import { disruptionCommand } from '../../builders/disruptionCommand.ts'
import { worldOf } from '../givenWorld.ts'
import type { PodGiven } from '../scenario.ts'

/** The number of nodes that a decision makes for these pods while a node is replaced. Its replacement has room for its pod and a small one. */
function madeFor(pods: { readonly [name: string]: PodGiven }): number {
  const { snapshot } = worldOf({
    nodes: { old: {}, new: { stage: 'launched' } },
    pods: { moving: { on: 'old', asks: { cpu: 3 } }, ...pods },
    promised: { moving: 'new' },
  })
  const { nodeClaim, pod } = snapshot.objects
  const command = disruptionCommand(
    nodeClaim.filter(({ name }) => name === 'old'),
    { replacements: [nodeClaimName('new')] },
  )
  const moving = pod.filter(({ nodeName }) => nodeName !== undefined).map(refOf)
  const candidates = command.candidates.map((each) => ({ ...each, pods: moving }))
  const { actions } = decide({ ...snapshot, commands: [{ ...command, candidates }] })
  return actions.filter(({ kind }) => kind === 'createClaim').length
}

describe('pods that come while a node is replaced', () => {
  it.each([
    ['none', {}, 0],
    ['one that fits beside the pod that moves', { w: { asks: { cpu: 0.5 } } }, 0],
    ['one that does not', { w: { asks: { cpu: 3.5 } } }, 1],
    ['one that does and one that does not', { v: { asks: { cpu: 0.5 } }, w: { asks: { cpu: 3.5 } } }, 1],
    ['two that do not', { w: { count: 2, asks: { cpu: 3.5 } } }, 2],
  ] as const)('PZ-01 get no more nodes than they need: %s', (_sentence, pods, wanted) => {
    expect(madeFor(pods)).toBe(wanted)
  })
})

/** The nodes that a decision makes while the last node of a dropped zone is drained. Its replacement is there. `evicted`: pods of it that wait. */
function madeWhileDrained(evicted: number): number {
  const pod = { labels: 'app=p', asks: { cpu: 1.8 }, spread: [{ over: 'zone', of: 'app=p' }] }
  const left = 2 - evicted
  const { snapshot } = worldOf({
    pools: { default: { needs: 'zone in z1 z2' } },
    nodes: {
      n1: { labels: 'zone=z1' },
      n2: { labels: 'zone=z2' },
      old: { labels: 'zone=z3', deleting: true },
      new1: { labels: 'zone=z1' },
      new2: { labels: 'zone=z2' },
    },
    pods: {
      a: { ...pod, count: 2, on: 'n1' },
      b: { ...pod, count: 2, on: 'n2' },
      ...(left > 0 ? { c: { ...pod, count: left, on: 'old' } } : {}),
      ...(evicted > 0 ? { w: { ...pod, count: evicted } } : {}),
    },
  })
  return decide(snapshot).actions.filter(({ kind }) => kind === 'createClaim').length
}

describe('the last node of a zone that its pool has dropped is drained', () => {
  it.each([0, 1, 2])('and no further node is made while %i of its pods wait until it is gone', (evicted) => {
    expect(madeWhileDrained(evicted)).toBe(0)
  })
})
