// What an expression can see: names, functions of its file, where it is deployed to, and files beside it.
import type { Place } from '../parse/syntax.ts'
import type { Scope } from './scope.ts'
import type { Value } from './value.ts'

/** What Azure would say of the place that is deployed to. */
export type Surroundings = {
  readonly subscriptionId: string
  readonly tenantId: string
  /** Of the deployment, and of resource groups that exist. */
  readonly location: string
  readonly deployerObjectId: string
  readonly cloud: 'AzureCloud' | 'AzureUSGovernment' | 'AzureChinaCloud'
  /** When the deployment starts: ISO 8601, UTC. */
  readonly now: string
}

export type Frame = {
  readonly file: string
  readonly scope: Scope
  readonly deploymentName: string
  readonly surroundings: Surroundings
  readonly symbol: (name: string, place: Place) => Value
  /** A function declared in the file or imported; undefined if there is none. */
  readonly userFunction: (name: string) => ((given: readonly Value[], place: Place) => Value) | undefined
  /** Text of a file, by its path relative to this one; undefined if there is none. */
  readonly readText: (path: string) => string | undefined
}

export function withNames(frame: Frame, names: { readonly [name: string]: Value }): Frame {
  return {
    ...frame,
    symbol: (name, place) => {
      const value = Object.hasOwn(names, name) ? names[name] : undefined
      return value === undefined ? frame.symbol(name, place) : value
    },
  }
}
