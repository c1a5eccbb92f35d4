// What an expression can use: names, functions of its file, the scope of the deployment, and files beside it.
import type { Place } from '../parse/syntax.ts'
import type { Scope } from './scope.ts'
import type { Value } from './value.ts'

/** What Azure would tell about the target of the deployment. */
export type DeploymentContext = {
  readonly subscriptionId: string
  readonly tenantId: string
  /** Location of the deployment, and of resource groups that exist. */
  readonly location: string
  readonly deployerObjectId: string
  readonly cloud: 'AzureCloud' | 'AzureUSGovernment' | 'AzureChinaCloud'
  /** Start of the deployment: ISO 8601, UTC. */
  readonly now: string
}

export type Frame = {
  readonly file: string
  readonly scope: Scope
  readonly deploymentName: string
  readonly deploymentContext: DeploymentContext
  readonly symbol: (name: string, place: Place) => Value
  /** Returns a function that the file declares or imports. Undefined if there is none. */
  readonly userFunction: (name: string) => ((given: readonly Value[], place: Place) => Value) | undefined
  /** Returns the text of a file by its path relative to this file. Undefined if there is none. */
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
