import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../object/kubeObject.ts'
import { podTable } from './podTable.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const METADATA = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const GONE = { ...METADATA, deletionTimestamp: '2026-01-01T00:59:00Z' }

/** Returns what kubectl shows of a pod of two containers, by column name. */
function shown(members: object): { readonly [column: string]: unknown } {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: METADATA,
    spec: { containers: [{ name: 'a' }, { name: 'b' }] },
    ...members,
  }
  const cells = podTable.row(pod, NOW)
  return Object.fromEntries(podTable.columns.map(({ name }, index) => [name, cells[index]]))
}

const running = { ready: true, state: { running: {} } }
const waiting = (reason: string) => ({ ready: false, state: { waiting: { reason } } })
const ended = (terminated: object) => ({ ready: false, state: { terminated } })
const READY = [{ type: 'Ready', status: 'True' }]

describe('a pod is', () => {
  const STATES: { readonly [sentence: string]: readonly [object, string] } = {
    'in its phase': [{ status: { phase: 'Pending' } }, 'Pending'],
    'held up for a reason of its own': [{ status: { phase: 'Failed', reason: 'Evicted' } }, 'Evicted'],
    'held back by a gate': [
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
      'SchedulingGated',
    ],
    'not scheduled, which no word tells': [
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] } },
      'Pending',
    ],
    running: [{ status: { phase: 'Running', containerStatuses: [running, running] } }, 'Running'],
    'waiting for its image': [{ status: { phase: 'Pending', containerStatuses: [waiting('ErrImagePull'), running] } }, 'ErrImagePull'],
    'what the first of its containers that is held up says': [
      { status: { phase: 'Running', containerStatuses: [waiting('First'), waiting('Second')] } },
      'First',
    ],
    'ended for a reason': [
      { status: { phase: 'Failed', containerStatuses: [ended({ reason: 'OOMKilled', exitCode: 137 })] } },
      'OOMKilled',
    ],
    'ended without a reason': [{ status: { phase: 'Failed', containerStatuses: [ended({ exitCode: 3 })] } }, 'ExitCode:3'],
    'ready, though one of its containers is through': [
      { status: { phase: 'Running', conditions: READY, containerStatuses: [ended({ reason: 'Completed' }), running] } },
      'Running',
    ],
    'not ready, and one of its containers is through': [
      { status: { phase: 'Running', containerStatuses: [ended({ reason: 'Completed' }), running] } },
      'NotReady',
    ],
    'through, where the other container only seems to run': [
      { status: { phase: 'Running', containerStatuses: [ended({ reason: 'Completed' }), { ready: true, state: {} }] } },
      'Completed',
    ],
    'through, where the other container is not ready': [
      { status: { phase: 'Running', containerStatuses: [ended({ reason: 'Completed' }), { ready: false, state: { running: {} } }] } },
      'Completed',
    ],
    through: [{ status: { phase: 'Succeeded', containerStatuses: [ended({ reason: 'Completed' })] } }, 'Completed'],
    'on its way out': [{ metadata: GONE, status: { phase: 'Running', containerStatuses: [running] } }, 'Terminating'],
    'through, though it is on its way out': [
      { metadata: GONE, status: { phase: 'Succeeded', containerStatuses: [ended({ reason: 'Completed' })] } },
      'Completed',
    ],
    'unknown with its node, on its way out': [{ metadata: GONE, status: { phase: 'Running', reason: 'NodeLost' } }, 'Unknown'],
  }
  for (const [sentence, [members, want]] of Object.entries(STATES)) it(sentence, () => expect(shown(members)['Status']).toBe(want))

  const inits = [{ name: 'one' }, { name: 'side', restartPolicy: 'Always' }, { name: 'two' }]
  const done = { name: 'one', ...ended({ exitCode: 0 }) }
  const side = { name: 'side', started: true, state: { running: {} } }
  it.each<[string, readonly object[], string]>([
    ['at the first', [{ name: 'one', ...waiting('PodInitializing') }], 'Init:0/3'],
    ['waiting for an image', [done, { name: 'side', ...waiting('ErrImagePull') }], 'Init:ErrImagePull'],
    ['at the side one, which has not started', [done, { ...side, started: false }], 'Init:1/3'],
    ['at the last', [done, side, { name: 'two', started: true, state: { running: {} } }], 'Init:2/3'],
    ['broken without a reason', [{ name: 'one', ...ended({ exitCode: 2 }) }], 'Init:ExitCode:2'],
    ['broken for a reason', [{ name: 'one', ...ended({ exitCode: 2, reason: 'Error' }) }], 'Init:Error'],
    ['through', [done, side, { name: 'two', ...ended({ exitCode: 0 }) }], 'Pending'],
  ])('with its init containers %s', (_where, initContainerStatuses, want) => {
    const pod = { spec: { containers: [], initContainers: inits }, status: { phase: 'Pending', initContainerStatuses } }
    expect(shown(pod)['Status']).toBe(want)
  })
})

describe('a row tells', () => {
  it('where the pod is, and how many of its containers are ready', () => {
    const members = {
      spec: { containers: [{ name: 'a' }, { name: 'b' }], nodeName: 'node-1' },
      status: { phase: 'Running', podIP: '10.0.0.1', nominatedNodeName: 'node-2', containerStatuses: [running, waiting('x')] },
    }
    expect(shown(members)).toMatchObject({
      Name: 'web',
      Ready: '1/2',
      Age: '60m',
      IP: '10.0.0.1',
      Node: 'node-1',
      'Nominated Node': 'node-2',
    })
    expect(shown({})).toMatchObject({ Ready: '0/2', IP: '<none>', Node: '<none>', 'Nominated Node': '<none>', 'Readiness Gates': '<none>' })
  })

  it('how often it was restarted, and when last', () => {
    const at = (finishedAt: string) => ({ lastState: { terminated: { finishedAt } } })
    const statuses = [
      { restartCount: 1, ...at('2026-01-01T00:10:00Z') },
      { restartCount: 2, ...at('2026-01-01T00:50:00Z') },
    ]
    expect(shown({ status: { containerStatuses: statuses } })['Restarts']).toBe('3 (10m ago)')
    expect(shown({ status: { containerStatuses: [{ restartCount: 2 }] } })['Restarts']).toBe('2')
    expect(shown({ status: { containerStatuses: [{ restartCount: 0, ...at('2026-01-01T00:10:00Z') }] } })['Restarts']).toBe('0')
  })

  it('how many of its readiness gates are met', () => {
    const spec = { containers: [], readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }, { conditionType: 'c' }] }
    const conditions = [
      { type: 'a', status: 'True' },
      { type: 'b', status: 'False' },
      { type: 'd', status: 'True' },
    ]
    expect(shown({ spec, status: { conditions } })['Readiness Gates']).toBe('1/3')
  })
})
