import { resourceAmount } from '../../shared/model/quantity.ts'
import type { Resources } from '../../shared/model/resources.ts'

/** Converts Kubernetes quantities to the units of the model. */
export function amountsOf(quantities: { readonly [resource: string]: string }): Resources {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, text]) => {
      const amount = resourceAmount(name, text)
      if (!amount.ok) throw new Error(`${name}: ${amount.error.message}`)
      return [name, amount.value]
    }),
  )
}
