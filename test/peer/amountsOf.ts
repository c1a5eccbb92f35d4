import { resourceAmount } from '../../shared/model/quantity.ts'
import type { Resources } from '../../shared/model/resources.ts'

/** Quantities as Kubernetes writes them, in the model's units. */
export function amountsOf(quantities: { readonly [resource: string]: string }): Resources {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, text]) => {
      const amount = resourceAmount(name, text)
      if (!amount.ok) throw new Error(`${name}: ${amount.error.message}`)
      return [name, amount.value]
    }),
  )
}
