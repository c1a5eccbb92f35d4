import { formatAmount } from './quantity.ts'
import type { Resources } from './resources.ts'

/** A message for each negative amount. `path`: the field with the amounts. Published definitions accept such amounts, and those of the chart do not. */
export function negativeAmounts(amounts: Resources, path: string): readonly string[] {
  return Object.entries(amounts).flatMap(([name, amount]) =>
    amount < 0
      ? [`${path}[${JSON.stringify(name)}]: ${formatAmount(name, amount)} is negative; write an amount of at least 0, or remove it`]
      : [],
  )
}
