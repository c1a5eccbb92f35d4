export type CloudEvent = {
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time?: string
  readonly data?: unknown
}

export type Subscription = {
  readonly name: string
  /** A webhook address. */
  readonly endpoint: string
  /** Default CloudEventSchemaV1_0. */
  readonly schema?: 'CloudEventSchemaV1_0' | 'EventGridSchema'
  /** Which topic; default: both, the custom one the shim publishes to and the one with health events of the subscription. */
  readonly topics?: readonly ('custom' | 'health')[]
  readonly includedEventTypes?: readonly string[]
  readonly subjectBeginsWith?: string
  readonly maxDeliveryAttempts?: number
}
