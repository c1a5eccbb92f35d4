import { coveredMs, LEAST_MS } from '../harsh/billing.ts'

/** Notes when functions run. */
export function createBilling(now: () => number) {
  let spans: { readonly name: string; readonly from: number; to: number }[] = []
  return {
    begin(name: string): () => void {
      const span = { name, from: now(), to: now() + LEAST_MS }
      spans.push(span)
      return () => {
        span.to = Math.max(span.to, now())
      }
    },
    /** Returns the billed seconds of the executions since the last call. */
    take(): number {
      const each = [...Map.groupBy(spans, ({ name }) => name).values()].map(coveredMs)
      spans = []
      return each.reduce((sum, ms) => sum + ms, 0) / 1_000
    },
  }
}

/** Returns the same stream. Calls `end` at its end. */
export async function* followed(body: ReadableStream<Uint8Array>, end: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk)
  end()
}
