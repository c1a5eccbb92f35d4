import * as z from 'zod'
import { conditionsByType, int32, int64, noNegative, quantities, ruled } from './parts.ts'

const podTemplateRef = z.looseObject({ name: z.string().min(1).describe('Name of the PodTemplate, in the same namespace.') })

const scalableRef = z.looseObject({
  apiGroup: z.string().describe('API group of the workload. Absent or empty: apps.').optional(),
  kind: z.string().min(1).describe('Kind of the workload.'),
  name: z.string().min(1).describe('Name of the workload, in the same namespace.'),
})

export const capacityBufferSchema = z
  .looseObject({
    spec: ruled(
      z.looseObject({
        provisioningStrategy: z.string().describe('Who keeps the room free, and how.').default('buffer.x-k8s.io/active-capacity'),
        podTemplateRef: podTemplateRef.describe('What the pods are like that room is kept for.').optional(),
        scalableRef: scalableRef.describe('A workload whose pods are the ones room is kept for.').optional(),
        replicas: int32('Number of pods room is kept for.', { min: 0 }).optional(),
        percentage: int32("Share of the workload's replicas room is kept for.", { min: 0 }).optional(),
        limits: quantities('What the pods room is kept for may add up to.').optional(),
      }),
      'What room is kept for.',
      [
        {
          rule: 'has(self.replicas) || has(self.limits) || !has(self.podTemplateRef)',
          message: 'a buffer with podTemplateRef needs replicas or limits',
        },
        {
          rule: '!has(self.podTemplateRef) || !has(self.scalableRef)',
          message: 'a buffer has a podTemplateRef or a scalableRef, not both',
        },
        noNegative('limits'),
      ],
    ),
    status: z
      .looseObject({
        podTemplateRef: podTemplateRef.describe('The template that is used.').optional(),
        podTemplateGeneration: int64('Generation of the template that was last looked at.').optional(),
        replicas: int32('Number of pods room is kept for now.').optional(),
        provisioningStrategy: z.string().describe('The strategy that is followed.').optional(),
        conditions: conditionsByType.optional(),
      })
      .describe('What is known about the buffer.')
      .optional(),
  })
  .describe('Room that is kept free for pods that may come.')
