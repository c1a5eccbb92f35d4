import type { Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { nodePoolName } from '../../model/ids.ts'
import type { Budget, DisruptionPolicy, NodeClaimTemplate, NodePool } from '../../model/nodePool.ts'
import type { Problem } from '../../model/problem.ts'
import type { Resources } from '../../model/resources.ts'
import { durationMs } from '../../model/units.ts'
import { withStarts } from '../objects/schedule.ts'
import { NO_LABELS } from '../objects/shared.ts'
import { condition, duration, durationOrNever, isOwnAnnotation, labels, metaOf, nodeClassRef, taint } from './meta.ts'
import { DEFAULT_EXPIRE_AFTER } from './nodeClaim.ts'
import {
  integer,
  items,
  type KubeRead,
  listOf,
  mapOf,
  maybe,
  need,
  object,
  oneOf,
  quantities,
  readKube,
  requirementSpec,
  resources,
  text,
} from './read.ts'

export function nodePoolFromKube(json: unknown): Result<NodePool, Problem> {
  return readKube(nodePool, json, { kind: 'nodePool', code: 'POOL.INVALID' })
}

export const nodePool: KubeRead<NodePool> = (json, trail) => {
  const root = object(json, trail)
  const metadata = need(root, 'metadata', object, trail)
  const name = nodePoolName(need(metadata, 'name', text, trail))
  const rest = need(root, 'spec', spec, trail)
  return { name, meta: meta(metadata, trail), ...rest, status: maybe(root, 'status', status, trail) ?? NO_STATUS }
}

const meta = metaOf(isOwnAnnotation)
const annotations = mapOf(text)
const NO_RESOURCES = NO_LABELS as unknown as Resources
const NO_STATUS: NodePool['status'] = { conditions: [], resources: NO_RESOURCES }

const spec: KubeRead<Omit<NodePool, 'name' | 'meta' | 'status'>> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    template: need(source, 'template', template, trail),
    disruption: maybe(source, 'disruption', disruption, trail) ?? disruption({}, trail),
    ...(maybe(source, 'limits', limits, trail) ?? { limits: NO_RESOURCES }),
    weight: maybe(source, 'weight', integer, trail),
    replicas: maybe(source, 'replicas', integer, trail),
  })
}

/** A limit that is no quantity counts as 0, so that the NodePool buys nothing until it is corrected. The definition lets some of these pass. */
const limits: KubeRead<Pick<NodePool, 'limits' | 'unreadableLimits'>> = (json, trail) => {
  const { amounts, unreadable } = quantities(json, trail)
  return {
    limits: amounts,
    ...(unreadable.length === 0
      ? {}
      : { unreadableLimits: unreadable.map(([name, why]) => `spec.limits[${JSON.stringify(name)}]: ${why}`) }),
  }
}

const template: KubeRead<NodeClaimTemplate> = (json, trail) => {
  const source = object(json, trail)
  const metadata = maybe(source, 'metadata', object, trail) ?? {}
  const inner = need(source, 'spec', templateSpec, trail)
  return {
    labels: maybe(metadata, 'labels', labels, trail) ?? NO_LABELS,
    annotations: maybe(metadata, 'annotations', annotations, trail) ?? NO_LABELS,
    ...inner,
  }
}

const templateSpec: KubeRead<Omit<NodeClaimTemplate, 'labels' | 'annotations'>> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    requirements: items(source, 'requirements', requirementSpec, trail),
    taints: items(source, 'taints', taint, trail),
    startupTaints: items(source, 'startupTaints', taint, trail),
    nodeClassRef: need(source, 'nodeClassRef', nodeClassRef, trail),
    expireAfter: maybe(source, 'expireAfter', durationOrNever, trail) ?? DEFAULT_EXPIRE_AFTER,
    terminationGracePeriod: maybe(source, 'terminationGracePeriod', duration, trail),
  })
}

const reason = oneOf('Empty', 'Underutilized', 'Drifted')
const policy = oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced')
const DEFAULT_BUDGETS: readonly Budget[] = [{ nodes: '10%' }]

const budget: KubeRead<Budget> = (json, trail) => {
  const source = object(json, trail)
  return withStarts(
    defined({
      nodes: maybe(source, 'nodes', text, trail) ?? '10%',
      schedule: maybe(source, 'schedule', text, trail),
      duration: maybe(source, 'duration', duration, trail),
      reasons: maybe(source, 'reasons', listOf(reason), trail),
    }),
  )
}

const disruption: KubeRead<DisruptionPolicy> = (json, trail) => {
  const source = object(json, trail)
  return {
    consolidationPolicy: maybe(source, 'consolidationPolicy', policy, trail) ?? 'WhenEmptyOrUnderutilized',
    consolidateAfter: maybe(source, 'consolidateAfter', durationOrNever, trail) ?? durationMs(0),
    budgets: maybe(source, 'budgets', listOf(budget), trail) ?? DEFAULT_BUDGETS,
  }
}

const status: KubeRead<NodePool['status']> = (json, trail) => {
  const source = object(json, trail)
  return defined({
    conditions: items(source, 'conditions', condition, trail),
    resources: maybe(source, 'resources', resources, trail) ?? NO_RESOURCES,
    nodes: maybe(source, 'nodes', integer, trail),
    nodeClassObservedGeneration: maybe(source, 'nodeClassObservedGeneration', integer, trail),
  })
}
