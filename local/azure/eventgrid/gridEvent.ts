export type GridEvent = {
  readonly id: string
  /** Written by the service: a topic's resource id, or a subscription's for events of Azure itself. */
  readonly topic: string
  readonly eventType: string
  readonly subject: string
  readonly eventTime: string
  readonly dataVersion: string
  readonly data?: unknown
}

export type Subscription = {
  readonly name: string
  /** A webhook address. */
  readonly endpoint: string
  /** Default EventGridSchema. */
  readonly schema?: 'CloudEventSchemaV1_0' | 'EventGridSchema'
  /** Which topic; default: both, the custom one the shim publishes to and the one with health events of the subscription. */
  readonly topics?: readonly ('custom' | 'health')[]
  readonly includedEventTypes?: readonly string[]
  readonly subjectBeginsWith?: string
  readonly maxDeliveryAttempts?: number
  /** Whether it wants the event, beside the rules above. */
  readonly filter?: (event: GridEvent) => boolean
  /** Hands the event over, in place of a webhook. */
  readonly send?: (event: GridEvent, count: number) => Promise<Delivery>
  /** Keeps what could not be delivered. */
  readonly keepDead?: (letter: DeadLetter) => Promise<void>
}

export type Delivery = { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string }
export type DeadLetter = { readonly subscription: string; readonly event: GridEvent; readonly attempts: number; readonly reason: string }
