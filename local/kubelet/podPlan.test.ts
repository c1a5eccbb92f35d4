import { describe, expect, it } from 'vitest'
import { testPod } from '../cluster/testing/objects.ts'
import { planOf } from './podPlan.ts'

const TIMES = { startMs: 400, initMs: 300, stopMs: 500, jobMs: 2000 }
const container = (parts: object) => ({ containers: [{ name: 'c', ...parts }] })
const ofJob = { metadata: { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true }] } }

const CASES: { readonly [sentence: string]: { readonly parts: object; readonly want: object } } = {
  'a plain pod runs until it is stopped': { parts: {}, want: { startMs: 400, readyMs: 0, exitCode: 0, stopMs: 500 } },
  'a readiness probe delays': { parts: { spec: container({ readinessProbe: { initialDelaySeconds: 5 } }) }, want: { readyMs: 5000 } },
  'init containers take their time': {
    parts: { spec: { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }], ...container({}) } },
    want: { startMs: 700 },
  },
  'a pod of a job ends': { parts: { ...ofJob, spec: { restartPolicy: 'Never', ...container({}) } }, want: { runMs: 2000 } },
  'sleep says how long': {
    parts: { spec: { restartPolicy: 'Never', ...container({ command: ['sleep', '30'] }) } },
    want: { runMs: 30_000 },
  },
  'sleep inside a shell': {
    parts: { spec: { restartPolicy: 'OnFailure', ...container({ command: ['sh', '-c'], args: ['echo hi && sleep 2m'] }) } },
    want: { runMs: 120_000 },
  },
  'an annotation says more': {
    parts: {
      metadata: {
        annotations: { 'local.joiner.dev/run-for': '250ms', 'local.joiner.dev/exit-code': '3', 'local.joiner.dev/stop-after': '20s' },
      },
      spec: { restartPolicy: 'Never', ...container({ command: ['sleep', '30'] }) },
    },
    want: { runMs: 250, exitCode: 3, stopMs: 20_000 },
  },
  'a hook before the stop': {
    parts: { spec: container({ lifecycle: { preStop: { exec: { command: ['sleep', '7'] } } } }) },
    want: { stopMs: 7000 },
  },
}

describe('planOf', () => {
  for (const [sentence, { parts, want }] of Object.entries(CASES)) {
    it(sentence, () => expect(planOf(testPod('p', parts), TIMES)).toMatchObject(want))
  }
  it('a pod that restarts never ends, nor does one that sleeps for ever', () => {
    const forever = testPod('p', { spec: { restartPolicy: 'Never', ...container({ command: ['sleep', 'infinity'] }) } })
    const restarts = testPod('p', { spec: container({ command: ['sleep', '5'] }) })
    expect([planOf(forever, TIMES).runMs, planOf(restarts, TIMES).runMs]).toEqual([undefined, undefined])
  })
})
