// What a deployment is to ARM, and what carries one out.
export type TemplateOrder = {
  readonly template: Readonly<Record<string, unknown>>
  /** Values by name. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly location: string
  /** Object id of the caller, with whose rights the resources are made. */
  readonly principalId: string
}

export type TemplateEngine = {
  /** Returns what Azure would refuse before it makes anything. Undefined if there is nothing. */
  validate(order: TemplateOrder): Promise<string | undefined>
  /** Rejects with the reason where a resource is refused. */
  deploy(order: TemplateOrder): Promise<{ readonly outputs: Readonly<Record<string, unknown>>; readonly resourceIds: readonly string[] }>
}

type DeploymentState = 'Running' | 'Succeeded' | 'Failed'
export type DeploymentRecord = {
  readonly name: string
  readonly location: string
  readonly tags: Readonly<Record<string, unknown>>
  readonly templateHash: string
  readonly startedAt: number
  readonly parameters: object
  state: DeploymentState
  endedAt: number
  outputs: Readonly<Record<string, unknown>>
  resourceIds: readonly string[]
  error?: { readonly code: string; readonly message: string }
}
