import * as z from 'zod'
import { CLAIM_KEY_RULES } from './labelRules.ts'
import { annotate, conditionsByType, int32, noNegative, quantities, ruled } from './parts.ts'
import { overlayRequirements } from './requirementsSchema.ts'

const PRICE = /^\d+(\.\d+)?$/
/** A signed amount, an increase in percent, or a decrease of at most 100 %. */
const ADJUSTMENT = /^(([+-]{1}(\d*\.?\d+))|(\+{1}\d*\.?\d+%)|(^(-\d{1,2}(\.\d+)?%)$)|(-100%))$/

/** Resources that the machine itself defines. An overlay may add resources, but not change these. */
const MEASURED = ['cpu', 'memory', 'ephemeral-storage', 'pods']

const capacity = annotate(quantities('Further resources the instance types have, such as devices of a plugin.'), {
  description: 'Further resources the instance types have, such as devices of a plugin.',
  'x-kubernetes-validations': [
    {
      rule: `!self.exists(name, name in [${MEASURED.map((name) => `'${name}'`).join(', ')}])`,
      message: `capacity cannot set ${MEASURED.join(', ')}: they are what the machine has`,
    },
  ],
})

export const nodeOverlaySchema = z
  .looseObject({
    spec: ruled(
      z.looseObject({
        requirements: overlayRequirements(CLAIM_KEY_RULES),
        price: z.string().regex(PRICE).describe('Price that is used instead of the published one.').optional(),
        priceAdjustment: z
          .string()
          .regex(ADJUSTMENT)
          .describe('What is added to the published price: an amount such as -0.5, or a share of it such as +10%.')
          .optional(),
        capacity: capacity.optional(),
        weight: int32('Of two overlays about the same offering the one with the larger weight counts. Absent: 0.', {
          min: 1,
          max: 10_000,
        }).optional(),
      }),
      'What is assumed of the offerings.',
      [
        {
          rule: '!(has(self.price) && has(self.priceAdjustment))',
          message: 'an overlay has a price or a priceAdjustment, not both',
        },
        noNegative('capacity'),
      ],
    ),
    status: z.looseObject({ conditions: conditionsByType.optional() }).describe('What is known about the overlay.').optional(),
  })
  .describe('A correction of price or capacity of chosen offerings.')
