import { describe, expect, it } from 'vitest'
import { capacityBuffer, podTemplate } from '../../../../test/builders/capacityBuffer.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim } from '../../../../test/builders/nodeClaim.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { CapacityBuffer, CapacityBufferStatus } from '../../../model/capacityBuffer.ts'
import { decideProvisioning } from '../planningState.ts'

type Objects = NonNullable<SnapshotShape['objects']>
type Case = { readonly buffer: Partial<CapacityBuffer>; readonly objects?: Objects; readonly want: readonly [string, string][] }

const SHAPE: Objects = { podTemplate: [podTemplate('shape', { cpus: 1, memoryGib: 1 })] }
const MACHINE: Objects = { node: [node()], nodeClaim: [nodeClaim()] }

function statusOf(buffer: CapacityBuffer, objects: Objects = {}): CapacityBufferStatus | undefined {
  const { actions } = decideProvisioning(snapshot({ objects: { ...objects, capacityBuffer: [buffer] } }))
  return actions.find((action) => action.kind === 'patchCapacityBufferStatus')?.status
}

const CASES: { readonly [sentence: string]: Case } = {
  'its template is missing': {
    buffer: { podTemplate: 'shape', replicas: 1 },
    want: [
      ['ReadyForProvisioning', 'PodTemplateNotFound: there is no PodTemplate shape in namespace default'],
      ['Provisioning', 'NotReadyForProvisioning: '],
    ],
  },
  'its workload is missing': {
    buffer: { scalable: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, percentage: 10 },
    want: [
      ['ReadyForProvisioning', 'ScalableRefNotFound: there is no Deployment web in namespace default'],
      ['Provisioning', 'NotReadyForProvisioning: '],
    ],
  },
  'BX-03 its workload is missing, and no group is named': {
    buffer: { scalable: { apiGroup: '', kind: 'Deployment', name: 'web' }, percentage: 10 },
    want: [
      ['ReadyForProvisioning', 'ScalableRefNotFound: there is no Deployment web in namespace default'],
      ['Provisioning', 'NotReadyForProvisioning: '],
    ],
  },
  'its workload is of a kind without pods': {
    buffer: { scalable: { apiGroup: 'batch', kind: 'CronJob', name: 'job' }, percentage: 10 },
    want: [
      [
        'ReadyForProvisioning',
        'ResolutionFailed: spec.scalableRef: CronJob of batch has no pods; name one of apps: Deployment, StatefulSet, ReplicaSet',
      ],
      ['Provisioning', 'NotReadyForProvisioning: '],
    ],
  },
  'its limits are below nothing': {
    buffer: { podTemplate: 'shape', replicas: 2, limits: { cpu: -5_000 } },
    objects: SHAPE,
    want: [
      ['ReadyForProvisioning', 'ResolutionFailed: spec.limits["cpu"]: -5 is negative; write an amount of at least 0, or remove it'],
      ['Provisioning', 'NotReadyForProvisioning: '],
    ],
  },
  'it keeps room for no pod': {
    buffer: { podTemplate: 'shape', replicas: 0 },
    objects: SHAPE,
    want: [
      ['ReadyForProvisioning', 'Resolved: '],
      ['Provisioning', 'BufferEmpty: the buffer asks for no pods; to do: set spec.replicas, spec.percentage or spec.limits'],
    ],
  },
  'there is room': {
    buffer: { podTemplate: 'shape', replicas: 1 },
    objects: { ...SHAPE, ...MACHINE },
    want: [
      ['ReadyForProvisioning', 'Resolved: '],
      ['Provisioning', 'FitsExistingCapacity: '],
    ],
  },
  'new nodes have to come': {
    buffer: { podTemplate: 'shape', replicas: 2 },
    objects: SHAPE,
    want: [
      ['ReadyForProvisioning', 'Resolved: '],
      ['Provisioning', 'RequiresNewCapacity: of 2 pods 2 need new nodes and 0 have no place'],
    ],
  },
  'no node would do': {
    buffer: { podTemplate: 'huge', replicas: 2 },
    objects: { podTemplate: [podTemplate('huge', { cpus: 10_000 })] },
    want: [
      ['ReadyForProvisioning', 'Resolved: '],
      ['Provisioning', 'RequiresNewCapacity: of 2 pods 0 need new nodes and 2 have no place'],
    ],
  },
}

describe('a buffer says so when', () => {
  it.each(Object.entries(CASES))('BU-01 %s', (_, { buffer, objects, want }) => {
    const { conditions = [] } = statusOf(capacityBuffer(buffer), objects) ?? {}
    expect(conditions.map(({ type, reason, message }) => [type, `${reason}: ${message}`])).toEqual(want)
  })
})

describe('a buffer', () => {
  it('says how many pods it keeps room for, and by which template', () => {
    expect(statusOf(capacityBuffer({ podTemplate: 'shape', replicas: 3 }), SHAPE)).toMatchObject({
      podTemplate: 'shape',
      podTemplateGeneration: 1,
      replicas: 3,
      strategy: 'buffer.x-k8s.io/active-capacity',
    })
  })

  it('that says it already says nothing', () => {
    const before = capacityBuffer({ podTemplate: 'shape', replicas: 3 })
    const status = statusOf(before, SHAPE)
    expect(status).toBeDefined()
    expect(statusOf({ ...before, ...(status === undefined ? {} : { status }) }, SHAPE)).toBeUndefined()
  })
})
