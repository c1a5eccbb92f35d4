import { describe, expect, it } from 'vitest'
import { decide } from '../../../shared/engine/loadedCluster.ts'
import { nodeClaimName } from '../../../shared/model/ids.ts'
import { refOf } from '../../../shared/model/podRef.ts'
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
