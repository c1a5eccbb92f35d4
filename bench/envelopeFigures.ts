// How small pods are on the wire, and how fast they are read.
import { deflateSync } from 'node:zlib'
import { nodeName, objectKey, uid } from '../shared/model/ids.ts'
import { parseEnvelope } from '../shared/wire/envelope.ts'
import { POST_DICTIONARY } from '../shared/wire/kept/dictionary.ts'
import { KEPT_PATHS } from '../shared/wire/kept/keptPaths.ts'
import { createPrune } from '../shared/wire/kept/prune.ts'
import type { Figure } from './figures.ts'

const ROUNDS = 3

/** Returns the best of some rounds, in processor time of this process, because others may share the machine. */
export function envelopeFigures(pods: number): readonly Figure[] {
  const kube = Array.from({ length: pods }, (_, index) => kubePod(index))
  const perPod = (work: () => unknown): number => (secondsOf(work) * 1_000_000) / pods
  const prune = createPrune(KEPT_PATHS.pod)
  const print = (): string => {
    const changes = kube.map((json, index) => ({ seq: index + 1, at: index, op: 'put', kind: 'pod', object: prune(json) }))
    return JSON.stringify({ v: 2, cluster: 'bench', term: 1, sentAt: 0, kept: 1, body: { kind: 'changes', changes } })
  }
  const text = print()
  return [
    { what: 'a pod on the wire', value: text.length / pods, unit: 'bytes' },
    {
      what: 'a pod on the wire, packed',
      value: deflateSync(text, { dictionary: Buffer.from(POST_DICTIONARY) }).length / pods,
      unit: 'bytes',
    },
    { what: 'to prune and print a pod', value: perPod(print), unit: 'µs' },
    { what: 'to parse and read a pod', value: perPod(() => parseEnvelope(JSON.parse(text))), unit: 'µs' },
  ]
}

function secondsOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user / 1_000_000
  })
  return Math.min(...times)
}

function kubePod(index: number): unknown {
  const app = `app-${index % 500}`
  return {
    metadata: {
      name: `${app}-7d9c8b6f5-${index.toString(36)}`,
      namespace: objectKey(`ns-${index % 50}`, '').slice(0, -1),
      uid: uid(`00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app, 'pod-template-hash': '7d9c8b6f5', 'app.kubernetes.io/part-of': 'shop' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-7d9c8b6f5`, uid: `rs-${index % 500}`, controller: true },
      ],
    },
    spec: {
      nodeName: nodeName(`aks-default-${index % 5000}`),
      schedulerName: 'default-scheduler',
      containers: [{ name: 'main', resources: { requests: { cpu: '250m', memory: '512Mi' } } }],
      tolerations: ['not-ready', 'unreachable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      terminationGracePeriodSeconds: 30,
    },
    status: { phase: 'Running', conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z' }] },
  }
}
