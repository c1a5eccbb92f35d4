export type GridEvent = {
  readonly id: string
  /** Written by the service: the resource id of a topic, or of a subscription for events of Azure itself. */
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
  /** Default both: `custom`, which the shim publishes to, and `health`, which has the health events of the Azure subscription. */
  readonly topics?: readonly ('custom' | 'health')[]
  readonly includedEventTypes?: readonly string[]
  readonly subjectBeginsWith?: string
  readonly maxDeliveryAttempts?: number
  /** Reports whether the event is for the subscription, in addition to the rules above. */
  readonly filter?: (event: GridEvent) => boolean
  /** Delivers the event in place of a webhook. */
  readonly send?: (event: GridEvent, count: number) => Promise<Delivery>
  /** Keeps events that could not be delivered. */
  readonly keepDead?: (letter: DeadLetter) => Promise<void>
}

export type Delivery = { readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string }
export type DeadLetter = { readonly subscription: string; readonly event: GridEvent; readonly attempts: number; readonly reason: string }
