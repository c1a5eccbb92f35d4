import * as z from 'zod'
import { CONSOLIDATION_POLICIES, DISRUPTION_REASONS } from '../../model/nodePool.ts'
import { POOL_KEY_RULES, POOL_LABEL_RULES } from './labelRules.ts'
import {
  annotate,
  conditionsByType,
  durationOrNeverText,
  durationText,
  int32,
  int64,
  LABEL_VALUE,
  nodeClassRef,
  noNegative,
  quantities,
  ruled,
  taints,
} from './parts.ts'
import { requirements } from './requirementsSchema.ts'

const EXPIRE_AFTER = 'Age at which a node is drained and replaced, as in 720h, or Never.'
const GRACE = 'How long a node may drain before its pods are deleted regardless of budgets. Absent: as long as it takes.'

/** The fields of a node in a pool's template and in a claim. */
export const nodeFields = {
  taints: taints('Taints the node keeps. Pods must tolerate them.').optional(),
  startupTaints: taints('Taints the node starts with and others take off. Pods need not tolerate them.').optional(),
  expireAfter: durationOrNeverText(EXPIRE_AFTER).default('720h'),
  terminationGracePeriod: durationText(GRACE).optional(),
}

const template = z.looseObject({
  metadata: z
    .looseObject({
      labels: annotate(z.record(z.string(), z.string().max(63).regex(LABEL_VALUE)), {
        description: 'Labels of every node of the pool.',
        'x-kubernetes-map-type': 'atomic',
        maxProperties: 100,
        'x-kubernetes-validations': POOL_LABEL_RULES,
      }).optional(),
      annotations: annotate(z.record(z.string(), z.string()), {
        description: 'Annotations of every node of the pool.',
        'x-kubernetes-map-type': 'granular',
      }).optional(),
    })
    .describe('Labels and annotations of the nodes.')
    .optional(),
  spec: z
    .looseObject({
      ...nodeFields,
      requirements: requirements(POOL_KEY_RULES),
      nodeClassRef: ruled(nodeClassRef, 'The class that says how machines are made.', [
        { rule: 'oldSelf.group == self.group', message: 'the group of nodeClassRef cannot be changed; make another pool' },
        { rule: 'oldSelf.kind == self.kind', message: 'the kind of nodeClassRef cannot be changed; make another pool' },
      ]),
    })
    .describe('What each node must be.'),
})

const budget = annotate(
  z.looseObject({
    nodes: z
      .string()
      .regex(/^((100|[0-9]{1,2})%|[0-9]+)$/)
      .describe('How many nodes, or which share of the pool, may be disrupted at a time.')
      .default('10%'),
    schedule: z
      .string()
      .regex(/^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$/)
      .describe('When the budget starts to count: a cron expression in UTC, or a macro such as @daily. Absent: always.')
      .optional(),
    duration: z
      .string()
      .regex(/^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$/)
      .describe('How long the budget counts from each start, in hours and minutes.')
      .optional(),
    reasons: annotate(z.array(z.enum(DISRUPTION_REASONS)).max(50), {
      description: 'Reasons of disruption the budget limits. Absent: all.',
      'x-kubernetes-list-type': 'set',
    }).optional(),
  }),
  { requiredDespiteDefault: ['nodes'] },
)

const disruption = z.looseObject({
  consolidateAfter: durationOrNeverText('How long a node must have been quiet before it is consolidated, as in 30s, or Never.').default(
    '0s',
  ),
  consolidationPolicy: z.enum(CONSOLIDATION_POLICIES).describe('Which nodes may be consolidated.').default('WhenEmptyOrUnderutilized'),
  budgets: annotate(z.array(budget).max(50), {
    description: 'Limits on how many nodes are disrupted at a time. The smallest that counts now holds.',
    'x-kubernetes-list-type': 'atomic',
    'x-kubernetes-validations': [
      { rule: 'self.all(b, has(b.schedule) == has(b.duration))', message: 'a budget has both a schedule and a duration, or neither' },
    ],
  }).default([{ nodes: '10%' }]),
})

export const nodePoolSchema = z
  .looseObject({
    spec: ruled(
      z.looseObject({
        template: template.describe('What each node of the pool is like. A changed field makes its nodes drift.'),
        disruption: disruption.describe('How nodes of the pool may be taken away.').prefault({ consolidateAfter: '0s' }),
        limits: quantities('What all nodes of the pool may add up to; nodes limits their number.').optional(),
        weight: int32('Pools with a larger weight come first. Absent: 0.', { min: 1, max: 100 }).optional(),
        replicas: scaled(
          'Number of nodes to keep, whatever the pods need. Absent: as many as they need. Alpha.',
          z.int().min(0),
        ).optional(),
      }),
      'What the pool wants.',
      [
        {
          rule: 'has(oldSelf.replicas) ? has(self.replicas) : !has(self.replicas)',
          message: 'a pool cannot change between a fixed number of nodes and as many as pods need; make another pool',
        },
        {
          // Compares sizes instead of iterating over the keys: the dictionary has no size limit, and the API server limits the cost of a rule.
          rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)",
          message: "a pool with replicas takes no limit but 'nodes'",
        },
        { rule: '!(has(self.weight) && has(self.replicas))', message: 'a pool with replicas takes no weight' },
        noNegative('limits'),
      ],
    ),
    status: z
      .looseObject({
        conditions: conditionsByType.optional(),
        nodeClassObservedGeneration: int64('Generation of the class that was last looked at.').optional(),
        nodes: scaled('Number of nodes of the pool.', z.int()).default(0),
        resources: quantities('What the nodes of the pool add up to.').optional(),
      })
      .describe('What is known about the pool.')
      .optional(),
  })
  .describe('A kind of node that may be made: template, limits, and how its nodes may be disrupted.')

/** An int64 in the schema. The scale subresource shows the same number as int32 and allows no negative number. */
function scaled(description: string, integer: z.ZodNumber): z.ZodNumber {
  const fits = integer.refine((replicas) => replicas >= 0 && replicas < 2 ** 31, 'must be between 0 and 2147483647, as every scale is')
  return annotate(fits, { description, format: 'int64' })
}
