import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../object/kubeObject.ts'
import type { Strategy, WriteContext } from './resource.ts'
import {
  daemonSetStrategy,
  deploymentStrategy,
  disruptionBudgetStrategy,
  jobStrategy,
  podTemplateStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from './workloadStrategies.ts'

const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'one:1' }] } }
const SELECTOR = { matchLabels: { app: 'x' } }

const of = (spec: object, metadata: object = { name: 'x', uid: 'the-uid' }): KubeObject =>
  ({ apiVersion: 'apps/v1', kind: 'X', metadata, spec }) as unknown as KubeObject
const specOf = (strategy: Strategy, spec: object): Record<string, unknown> => {
  const { template: _template, ...own } = (strategy.defaults?.(of({ template: TEMPLATE, ...spec })) ?? of({}))['spec'] as Record<
    string,
    unknown
  >
  return own
}
const errorsOf = (strategy: Strategy, spec: object, previous?: object) =>
  (
    strategy.validate?.(
      of({ template: TEMPLATE, ...spec }),
      previous === undefined ? undefined : of({ template: TEMPLATE, ...previous }),
    ) ?? []
  ).map(({ path, body }) => `${path}: ${body}`)

describe('a deployment', () => {
  const defaults = { progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10 }
  const rolling = (rollingUpdate: object) => ({ type: 'RollingUpdate', rollingUpdate })

  it.each([
    [{}, rolling({ maxSurge: '25%', maxUnavailable: '25%' })],
    [{ strategy: null }, rolling({ maxSurge: '25%', maxUnavailable: '25%' })],
    [{ strategy: { type: 'RollingUpdate' } }, rolling({ maxSurge: '25%', maxUnavailable: '25%' })],
    [{ strategy: { rollingUpdate: { maxSurge: 1 } } }, rolling({ maxSurge: 1, maxUnavailable: '25%' })],
    [{ strategy: { type: 'Recreate' } }, { type: 'Recreate' }],
  ])('with %j replaces its pods so: %j', (spec, strategy) => {
    expect(specOf(deploymentStrategy, spec)).toEqual({ ...defaults, strategy })
  })

  it('keeps what it says itself, and has the defaults of a pod in its template', () => {
    expect(specOf(deploymentStrategy, { replicas: 0, revisionHistoryLimit: 0, paused: true })).toMatchObject({
      replicas: 0,
      revisionHistoryLimit: 0,
      paused: true,
    })
    expect(specOf(deploymentStrategy, { replicas: null })).toMatchObject({ replicas: 1 })
    const made = deploymentStrategy.defaults?.(of({ template: TEMPLATE }))
    expect(made).toMatchObject({
      spec: {
        template: {
          metadata: { creationTimestamp: null, labels: { app: 'x' } },
          spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' },
        },
      },
    })
  })

  it.each([
    [{ selector: SELECTOR }, []],
    [{}, ['spec.selector: Required value']],
    [{ selector: {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for deployment']],
    [
      { selector: { matchLabels: { app: 'y' } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
    ],
    [{ selector: SELECTOR, replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
    [{ selector: SELECTOR, replicas: 0 }, []],
  ])('of %j is judged: %j', (spec, errors) => {
    expect(errorsOf(deploymentStrategy, spec)).toEqual(errors)
  })

  it('keeps the selector that it has', () => {
    const other = { matchLabels: { app: 'x' }, matchExpressions: [] }
    expect(errorsOf(deploymentStrategy, { selector: SELECTOR }, { selector: SELECTOR })).toEqual([])
    expect(errorsOf(deploymentStrategy, { selector: other }, { selector: SELECTOR })).toEqual([
      expect.stringMatching(/^spec\.selector: .*field is immutable$/),
    ])
  })

  it('has a status that only its controller writes', () => {
    const context = {} as WriteContext
    const [next, previous] = [
      { ...of({ replicas: 2 }), status: { replicas: 9 } },
      { ...of({ replicas: 1 }), status: { replicas: 1 } },
    ]
    expect(deploymentStrategy.prepareForCreate?.(next, context)['status']).toEqual({})
    expect(deploymentStrategy.prepareForUpdate?.(next, previous, context)).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1 } })
    expect(deploymentStrategy.prepareForStatus?.(next, previous, context)).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 9 } })
  })
})

describe('sets', () => {
  it.each([
    [{}, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
    [{ updateStrategy: { type: 'RollingUpdate' } }, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
    [
      { updateStrategy: { rollingUpdate: { maxUnavailable: '50%' } } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%', maxSurge: 0 } },
    ],
    [{ updateStrategy: { type: 'OnDelete' } }, { type: 'OnDelete' }],
  ])('of daemons with %j replace their pods so: %j', (spec, updateStrategy) => {
    expect(specOf(daemonSetStrategy, spec)).toEqual({ revisionHistoryLimit: 10, updateStrategy })
  })

  it.each([
    [{}, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }],
    [{ updateStrategy: { rollingUpdate: { partition: 2 } } }, { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }],
    [{ updateStrategy: { type: 'OnDelete' } }, { type: 'OnDelete' }],
  ])('with a state and %j replace their pods so: %j', (spec, updateStrategy) => {
    expect(specOf(statefulSetStrategy, spec)).toEqual({
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      updateStrategy,
    })
  })

  it('of replicas have one where they do not say how many', () => {
    expect(specOf(replicaSetStrategy, {})).toEqual({ replicas: 1 })
  })

  it('of a replication controller select by labels alone, of their template where they name none', () => {
    expect(specOf(replicationControllerStrategy, {})).toEqual({ replicas: 1, selector: { app: 'x' } })
    expect(specOf(replicationControllerStrategy, { selector: { a: 'b' } })).toEqual({ replicas: 1, selector: { a: 'b' } })
    expect(errorsOf(replicationControllerStrategy, { selector: { app: 'x' } })).toEqual([])
    expect(errorsOf(replicationControllerStrategy, { selector: { app: 'y' } })).toHaveLength(1)
  })
})

describe('a job', () => {
  const defaults = { parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false, manualSelector: false }

  it('is complete with one success where it says nothing, and a work queue where it says how many run at once', () => {
    expect(specOf(jobStrategy, {})).toMatchObject({ ...defaults, completions: 1 })
    expect(specOf(jobStrategy, { parallelism: null })).toMatchObject({ ...defaults, completions: 1 })
    expect(specOf(jobStrategy, { completions: 5 })).toMatchObject({ ...defaults, completions: 5 })
    const queue = specOf(jobStrategy, { parallelism: 3 })
    expect(queue).toMatchObject({ ...defaults, parallelism: 3 })
    expect(queue).not.toHaveProperty('completions')
  })

  it('finds its pods by its uid, unless it has a selector of its own', () => {
    const context = {} as WriteContext
    const labels = {
      app: 'x',
      'batch.kubernetes.io/controller-uid': 'the-uid',
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': 'the-uid',
      'job-name': 'x',
    }
    const made = jobStrategy.prepareForCreate?.({ ...of({ template: TEMPLATE }), status: { active: 1 } }, context)
    expect(made).toMatchObject({
      spec: { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'the-uid' } }, template: { metadata: { labels } } },
    })
    expect(made?.['status']).toEqual({})
    const own = of({ template: TEMPLATE, manualSelector: true, selector: SELECTOR })
    expect(jobStrategy.prepareForCreate?.(own, context)['spec']).toEqual(own['spec'])
  })

  it.each([
    [{}, 1],
    [{ restartPolicy: 'Always' }, 1],
    [{ restartPolicy: 'Never' }, 0],
    [{ restartPolicy: 'OnFailure' }, 0],
  ])('must say what happens to what ends: %j', (podSpec, errors) => {
    const template = { ...TEMPLATE, spec: { ...TEMPLATE.spec, ...podSpec } }
    const said = errorsOf(jobStrategy, { template })
    expect(said).toHaveLength(errors)
    for (const line of said) expect(line).toBe('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"')
  })

  it.each(['selector', 'completions'])('keeps its %s', (member) => {
    const template = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } }
    expect(errorsOf(jobStrategy, { template, [member]: 1 }, { template, [member]: 1 })).toEqual([])
    expect(errorsOf(jobStrategy, { template, [member]: 2 }, { template, [member]: 1 })).toEqual([
      `spec.${member}: Invalid value: 2: field is immutable`,
    ])
  })
})

describe('a pod template', () => {
  it('has the defaults of a pod, and is judged as one', () => {
    const template = { ...of({}), template: TEMPLATE } as unknown as KubeObject
    expect(podTemplateStrategy.defaults?.(template)).toMatchObject({ template: { spec: { restartPolicy: 'Always' } } })
    const empty = { ...of({}), template: { spec: { containers: [] } } } as unknown as KubeObject
    expect(podTemplateStrategy.validate?.(empty, undefined).map(({ path }) => path)).toEqual(['template.spec.containers'])
  })
})

describe('a budget', () => {
  it.each([
    [{ minAvailable: 1 }, []],
    [{ maxUnavailable: 0 }, []],
    [{ minAvailable: 1, maxUnavailable: 1 }, ['spec']],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }, { operator: 'Exists' }] } },
      ['spec.selector.matchExpressions[1].key'],
    ],
  ])('of %j is judged: %j', (spec, paths) => {
    expect(disruptionBudgetStrategy.validate?.(of(spec), undefined).map(({ path }) => path)).toEqual(paths)
  })
})
