import * as z from 'zod'
import { CLAIM_KEY_RULES } from './labelRules.ts'
import { nodeFields } from './nodePoolSchema.ts'
import { claimConditions, instantText, nodeClassRef, noNegative, quantities, ruled } from './parts.ts'
import { requirements } from './requirementsSchema.ts'

export const nodeClaimSchema = z
  .looseObject({
    spec: ruled(
      z.looseObject({
        ...nodeFields,
        requirements: requirements(CLAIM_KEY_RULES),
        nodeClassRef: nodeClassRef.describe('The class that says how the machine is made.'),
        resources: z
          .looseObject({ requests: quantities('What the machine must have room for.').optional() })
          .describe('What the machine is needed for.')
          .optional(),
      }),
      'What the machine must be. Never changes.',
      [
        { rule: 'oldSelf == self', message: 'the spec of a NodeClaim cannot be changed; delete the claim and let another be made' },
        noNegative('resources.requests'),
      ],
    ),
    status: z
      .looseObject({
        nodeName: z.string().describe('Name of the node that joined.').optional(),
        providerID: z.string().describe('The machine in Azure.').optional(),
        imageID: z.string().describe('Image the machine was made from.').optional(),
        capacity: quantities('What the machine has.').optional(),
        allocatable: quantities('What of it pods can use.').optional(),
        lastPodEventTime: instantText.describe('When a pod last came to the node or left it.').optional(),
        conditions: claimConditions.optional(),
      })
      .describe('What is known about the machine.')
      .optional(),
  })
  .describe('A request for one machine, and the record of its life.')
