import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation, writtenCondition } from '../../../test/builders/observation.ts'
import { NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { ClaimObservation, ClaimStep } from '../../model/claimStep.ts'
import { nodeName, objectKey, uid } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import { formatTimestamp } from '../../model/time.ts'
import type { PersistentVolumeClaim, VolumeAttachment } from '../../model/workloads.ts'
import { attachmentsToAwait, stepTermination } from './termination.ts'

const HOST = node().name
const TOLERANT: PodShape = { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] }

function attachment(volumeName: string | undefined = 'disk', on = HOST): VolumeAttachment {
  const name = `csi-${volumeName ?? 'inline'}`
  return { name, uid: uid(name), node: on, ...(volumeName === undefined ? {} : { volumeName }) }
}

function bound(name: string, volumeName: string): PersistentVolumeClaim {
  return { key: objectKey('default', name), uid: uid(name), volumeName, deleted: false }
}

/** The attachments that are awaited if a pod of this shape mounts the claim `data` of the volume `disk`. */
function awaited(shape: PodShape, attached: readonly VolumeAttachment[] = [attachment()]): readonly string[] {
  const mounts = pod({ name: 'app', nodeName: HOST, phase: 'Running', volumes: [{ kind: 'claim', claimName: 'data' }], ...shape })
  const objects = { pod: [mounts], persistentVolumeClaim: [bound('data', 'disk')], volumeAttachment: attached }
  return attachmentsToAwait(objects, [node()], NOW).map(({ name }) => name)
}

describe('volumes that the end of a machine waits for', () => {
  it.each<[string, PodShape, readonly string[]]>([
    ['of a pod that a drain takes away', {}, ['csi-disk']],
    ['of a pod that has ended by itself', { phase: 'Succeeded' }, ['csi-disk']],
    ['NT-28 of a pod that tolerates disruption', TOLERANT, []],
    ['NT-28 of a static pod', { owner: NODE_OWNER }, []],
    ['of a pod that is stuck', { deletedAt: ago(61 * SECOND) }, []],
    ['of a pod that stays on another node', { ...TOLERANT, nodeName: nodeName('other') }, ['csi-disk']],
    [
      'of a pod that tolerates disruption and mounts another claim',
      { ...TOLERANT, volumes: [{ kind: 'claim', claimName: 'b' }] },
      ['csi-disk'],
    ],
  ])('%s', (_sentence, shape, want) => expect(awaited(shape)).toEqual(want))

  it('are those of its node that have a PersistentVolume, by name', () => {
    const attached = [
      attachment('z'),
      attachment('far', nodeName('other')),
      { ...attachment('inline'), volumeName: undefined },
      attachment('a'),
    ]
    expect(awaited({}, attached as readonly VolumeAttachment[])).toEqual(['csi-a', 'csi-z'])
  })
})

const UP = ['Launched', 'Registered', 'Initialized', 'Drained'].map((type) => condition(type))

function drained(more: Partial<ClaimObservation> = {}, deadline?: number): ClaimStep {
  const annotations = deadline === undefined ? {} : { [ANNOTATION.terminationTimestamp]: formatTimestamp(hence(deadline)) }
  const claim = nodeClaim({ meta: { deletedAt: ago(MINUTE), annotations }, status: { conditions: UP } })
  return stepTermination(observation({ claim, nodes: [node()], instance: instance(), ...more }))
}

const said = ({ actions }: ClaimStep): string | undefined => {
  const written = writtenCondition(actions, 'VolumesDetached')
  return written && `${written.status} ${written.reason} ${written.message}`.trim()
}

describe('a drained machine', () => {
  it('NT-27 waits for its volumes, and names some on claim and node', () => {
    const step = drained({ volumeAttachments: ['a', 'b', 'c', 'd'].map((name) => attachment(name)) })
    expect(kindsOf(step.actions)).toEqual(['patchStatus', 'publish AwaitingVolumeDetachment', 'publish AwaitingVolumeDetachment'])
    expect(said(step)).toBe('Unknown AwaitingVolumeDetachment volumes a, b, c and 1 more still attached')
    expect(step).toMatchObject({ wakeAt: hence(SECOND), reasons: [] })
    expect(step.dueAt).toBeUndefined()
  })

  it('waits on for what is attached for too long, and tells that its node no longer counts', () => {
    const drainedFor = (minutes: number) => {
      const conditions = [condition('Drained', { lastTransitionAt: ago(minutes * MINUTE) })]
      const claim = nodeClaim({ meta: { deletedAt: ago(60 * MINUTE) }, status: { conditions } })
      return stepTermination(observation({ claim, nodes: [node()], instance: instance(), volumeAttachments: [attachment()] }))
    }
    expect(said(drainedFor(5))).toBe('Unknown AwaitingVolumeDetachment volume disk still attached')
    const step = drainedFor(6)
    expect(kindsOf(step.actions)).toEqual(['patchStatus', 'publish VolumeDetachmentOverdue', 'publish VolumeDetachmentOverdue'])
    expect(said(step)).toBe(
      'Unknown VolumeDetachmentOverdue volume disk still attached; the node has no pods left and no longer counts in the budgets of its NodePool; delete the VolumeAttachment if the volume is not in use',
    )
    expect(step.wakeAt).toBeDefined()
  })

  it('looks again at its deadline', () => {
    expect(drained({ volumeAttachments: [attachment()] }, MINUTE).dueAt).toBe(hence(MINUTE))
  })

  it.each<[string, Partial<ClaimObservation>, number | undefined, string | undefined]>([
    ['NT-27 once no volume is attached', {}, undefined, 'True VolumesDetached'],
    ['NT-29 at its deadline', { volumeAttachments: [attachment()] }, 0, 'False TerminationGracePeriodElapsed volume disk still attached'],
    ['where Azure has it no more', { volumeAttachments: [attachment()], instance: undefined }, undefined, 'True VolumesDetached'],
  ])('%s it ends', (_sentence, more, deadline, want) => {
    const step = drained(more, deadline)
    expect(kindsOf(step.actions)).toContain('terminateInstance')
    expect(said(step)).toBe(want)
  })

  it('says of its volumes what was known when it began to end', () => {
    const conditions = [...UP, condition('VolumesDetached', { status: 'False' }), condition('InstanceTerminating')]
    const claim = nodeClaim({ meta: { deletedAt: ago(MINUTE) }, status: { conditions } })
    expect(said(drained({ claim }))).toBe('False VolumesDetached')
  })
})
