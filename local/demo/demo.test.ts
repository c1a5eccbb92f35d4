import { describe, expect, it } from 'vitest'
import type { ClusterEvent, Node, Pod } from '../cluster/client/objects.ts'
import { testNode, testPod } from '../cluster/testing/objects.ts'
import { parseAppLine } from './appLine.ts'
import type { ClaimObject } from './claimObject.ts'
import { createDemo } from './demo.ts'
import { wholeLine } from './wholeLine.ts'

function told() {
  const lines: string[] = []
  let now = 0
  const demo = createDemo({ print: (line) => lines.push(line), now: () => now })
  /** Lets time pass, with the ticks of a run. */
  const pass = (ms: number): void => {
    for (const end = now + ms; now < end; demo.tick()) now = Math.min(end, now + 200)
  }
  return { lines, demo, pass }
}

/** A pod of Deployment web that is unschedulable. */
function replica(index: number): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5c4', uid: 'web' }]
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]
  return testPod(`web-${index}`, { metadata: { ownerReferences, name: `web-${index}`, namespace: 'default' }, status: { conditions } })
}

function refusal(pod: string, message: string): ClusterEvent {
  const involvedObject = { kind: 'Pod', namespace: 'default', name: pod }
  return { metadata: testPod(pod).metadata, involvedObject, message, type: 'Warning', reportingComponent: 'joiner' }
}

function claim(
  ...open: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[]
): ClaimObject {
  const metadata = { ...testPod('web').metadata, name: 'default-a', creationTimestamp: '1970-01-01T00:00:00Z' }
  return { metadata, status: { conditions: [{ type: 'Launched', status: 'True' }, ...open] } }
}

function node(status: 'True' | 'False' | 'Unknown', message = ''): Node {
  return testNode('a', { status: { conditions: [{ type: 'Ready', status, message }] } })
}

describe('the demo, of pods that run', () => {
  const phase = (index: number, status: object): Pod => ({ ...replica(index), status: { ...status } }) as Pod

  it('tells their count when the last that was missing runs, and not before', () => {
    const { lines, demo } = told()
    const waits = [0, 1, 2].map((index) => phase(index, { phase: 'Pending' }))
    for (const pod of waits) demo.pod(pod, undefined)
    for (const [index, pod] of waits.entries()) {
      expect(lines).toEqual([])
      demo.pod(phase(index, { phase: 'Running' }), pod)
    }
    expect(lines).toEqual(['3 of 3 pods of default/web run'])
  })

  it('counts no other pods and none that go, and tells nothing of what ran before', () => {
    const { lines, demo } = told()
    const other = testPod('other', { status: { phase: 'Pending' } })
    const going = { ...phase(9, { phase: 'Pending' }) }
    demo.pod(other, undefined)
    demo.pod({ ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, undefined)
    const [waits, runs] = [phase(0, { phase: 'Pending' }), phase(0, { phase: 'Running' })]
    demo.pod(waits, undefined)
    demo.pod(runs, waits)
    demo.pod(runs, runs)
    expect(lines).toEqual(['1 of 1 pods of default/web run'])
  })
})

describe('the demo, of pods', () => {
  it('tells of those that come within a moment in one line', () => {
    const { lines, demo, pass } = told()
    for (let pod = 0; pod < 5; pod++) {
      demo.pod(replica(pod), undefined)
      pass(200)
    }
    pass(1_000)
    expect(lines).toEqual(['5 pods of default/web cannot be scheduled'])
  })

  it('tells of pods of one owner that trickle in a few lines, not in one each', () => {
    const { lines, demo, pass } = told()
    for (let pod = 0; pod < 60; pod++) {
      demo.pod(replica(pod), undefined)
      pass(100)
    }
    pass(1_000)
    expect(lines.length).toBeLessThanOrEqual(3)
    expect(lines.map((line) => Number(line.split(' ')[0])).reduce((sum, count) => sum + count)).toBe(60)
  })

  it('tells a refusal once, and not again for each pod like it', () => {
    const { lines, demo, pass } = told()
    for (let pod = 0; pod < 20; pod++) {
      demo.event(
        refusal(`web-${pod}`, pod % 2 === 0 ? 'no cpu left (POOL.LIMIT)' : `no cpu left (and ${pod} more pods like it) (POOL.LIMIT)`),
      )
      pass(500)
    }
    demo.event(refusal('other', 'no quota (AZURE.QUOTA.SPOT)'))
    expect(lines).toEqual(['pod default/web-0: no cpu left (POOL.LIMIT)', 'pod default/other: no quota (AZURE.QUOTA.SPOT)'])
    pass(60_000)
    demo.event(refusal('web-1', 'no cpu left (POOL.LIMIT)'))
    expect(lines).toHaveLength(3)
  })
})

describe('a line of the app', () => {
  it('is told with all it says when everything is asked for', () => {
    const text = JSON.stringify({ at: 1, level: 'measure', message: 'decide_ms', value: 55, cluster: 'local', zones: ['1'] })
    const line = parseAppLine(text)
    expect(line && wholeLine(line)).toBe('app measure: decide_ms value=55 cluster=local zones=["1"]')
  })
})

describe('the demo, of nodes and claims', () => {
  it('says why a node is no longer ready, and that it is again', () => {
    const { lines, demo } = told()
    const states = [
      node('False', 'the network is not there yet'),
      node('True'),
      node('Unknown', 'Kubelet stopped posting node status.'),
      node('True'),
    ]
    for (const [at, state] of states.entries()) demo.node(state, states[at - 1])
    expect(lines).toEqual([
      'node a joined',
      'node a is ready, 0.0 s after it joined',
      'node a is no longer ready: Kubelet stopped posting node status.',
      'node a is ready again',
    ])
  })

  it.each([
    [[], 'machine is booting'],
    [
      [
        { type: 'Registered', status: 'True' },
        {
          type: 'Initialized',
          status: 'Unknown',
          reason: 'StartupTaintsExist',
          message: 'startup taint cni=wait:NoSchedule is still on the node',
        },
      ],
      'joined, not initialized yet: startup taint cni=wait:NoSchedule is still on the node',
    ],
    [
      [
        { type: 'Registered', status: 'True' },
        { type: 'Initialized', status: 'Unknown', reason: 'NodeNotFound', message: 'no node has joined yet' },
      ],
      'joined, not initialized yet: the function app has not looked at its node yet',
    ],
  ])('names what a claim waits for that takes long: %j', (conditions, want) => {
    const { lines, demo, pass } = told()
    const made = claim(...conditions)
    demo.claim(made, made)
    pass(5_000)
    expect(lines).toEqual([`nodeclaim default-a: ${want}, 5.0 s after the decision`])
  })
})
