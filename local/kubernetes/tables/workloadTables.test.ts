import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../object/kubeObject.ts'
import type { TableLayout } from './tableLayout.ts'
import {
  daemonSetTable,
  deploymentTable,
  disruptionBudgetTable,
  jobTable,
  podTemplateTable,
  printSelector,
  replicaSetTable,
  replicationControllerTable,
  statefulSetTable,
} from './workloadTables.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const METADATA = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const CONTAINERS = [
  { name: 'main', image: 'web:1' },
  { name: 'side', image: 'proxy:2' },
]

/** Returns what kubectl shows of an object, by column name. */
function shown(table: TableLayout, members: object): { readonly [column: string]: unknown } {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Any', metadata: METADATA, ...members }
  const cells = table.row(object, NOW)
  expect(cells).toHaveLength(table.columns.length)
  return Object.fromEntries(table.columns.map(({ name }, index) => [name, cells[index]]))
}

const template = { metadata: { labels: { app: 'web' } }, spec: { nodeSelector: { disk: 'ssd' }, containers: CONTAINERS } }
const selector = { matchLabels: { app: 'web' } }
const ofTemplate = { Containers: 'main,side', Images: 'web:1,proxy:2', Selector: 'app=web' }
const named = { Name: 'web', Age: '60m' }

describe('the table of', () => {
  it('Deployments', () => {
    const status = { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 4 }
    expect(shown(deploymentTable, { spec: { replicas: 3, selector, template }, status })).toEqual({
      ...named,
      ...ofTemplate,
      Ready: '1/3',
      'Up-to-date': 2,
      Available: 4,
    })
    expect(shown(deploymentTable, {})).toMatchObject({ Ready: '0/0', 'Up-to-date': 0, Available: 0, Containers: '', Selector: '<none>' })
  })

  it.each([
    ['ReplicaSets', replicaSetTable, selector],
    ['ReplicationControllers', replicationControllerTable, { app: 'web' }],
  ] as const)('%s', (_, table, by) => {
    const object = { spec: { replicas: 3, selector: by, template }, status: { replicas: 2, readyReplicas: 1 } }
    expect(shown(table, object)).toEqual({ ...named, ...ofTemplate, Desired: 3, Current: 2, Ready: 1 })
  })

  it('DaemonSets', () => {
    const status = {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    }
    expect(shown(daemonSetTable, { spec: { selector, template }, status })).toEqual({
      ...named,
      ...ofTemplate,
      Desired: 5,
      Current: 4,
      Ready: 3,
      'Up-to-date': 2,
      Available: 1,
      'Node Selector': 'disk=ssd',
    })
  })

  it('StatefulSets', () => {
    expect(shown(statefulSetTable, { spec: { replicas: 3, template }, status: { readyReplicas: 2 } })).toEqual({
      ...named,
      Ready: '2/3',
      Containers: 'main,side',
      Images: 'web:1,proxy:2',
    })
  })

  it('PodTemplates', () => {
    expect(shown(podTemplateTable, { template })).toEqual({
      Name: 'web',
      Containers: 'main,side',
      Images: 'web:1,proxy:2',
      'Pod Labels': 'app=web',
    })
    expect(shown(podTemplateTable, {})).toMatchObject({ 'Pod Labels': '<none>' })
  })

  it('PodDisruptionBudgets', () => {
    const object = { spec: { minAvailable: 0, maxUnavailable: '25%' }, status: { disruptionsAllowed: 2 } }
    expect(shown(disruptionBudgetTable, object)).toEqual({
      ...named,
      'Min Available': '0',
      'Max Unavailable': '25%',
      'Allowed Disruptions': 2,
    })
    expect(shown(disruptionBudgetTable, {})).toMatchObject({ 'Min Available': 'N/A', 'Max Unavailable': 'N/A' })
  })
})

describe('a Job', () => {
  const condition = (type: string, status = 'True') => ({ status: { conditions: [{ type, status }] } })
  const states: readonly (readonly [object, string])[] = [
    [{}, 'Running'],
    [condition('Complete'), 'Complete'],
    [condition('Complete', 'False'), 'Running'],
    [condition('Failed'), 'Failed'],
    [condition('Suspended'), 'Suspended'],
    [{ ...condition('Suspended'), metadata: { ...METADATA, deletionTimestamp: '2026-01-01T00:00:00Z' } }, 'Terminating'],
    [{ ...condition('Failed'), metadata: { ...METADATA, deletionTimestamp: '2026-01-01T00:00:00Z' } }, 'Failed'],
  ]
  it.each(states)('%j is %s', (members, status) => {
    expect(shown(jobTable, members)).toMatchObject({ Status: status })
  })

  it('took as long as it ran, or runs until now', () => {
    const startTime = '2026-01-01T00:30:00Z'
    const completionTime = '2026-01-01T00:30:40Z'
    expect(shown(jobTable, {})).toMatchObject({ Duration: '', Completions: '0/1' })
    expect(shown(jobTable, { status: { startTime } })).toMatchObject({ Duration: '30m' })
    expect(shown(jobTable, { spec: { completions: 3 }, status: { startTime, completionTime, succeeded: 2 } })).toMatchObject({
      Duration: '40s',
      Completions: '2/3',
    })
  })
})

describe('a selector', () => {
  it.each([
    [{}, '<none>'],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2'],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] }, 'a in (x,y)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a notin (x)'],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a'],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }], matchLabels: { b: '1' } }, '!a,b=1'],
  ])('%j is one line: %s', (given, line) => {
    expect(printSelector(given)).toBe(line)
  })
})
