import * as z from 'zod'

const page = z.object({ value: z.array(z.unknown()), nextLink: z.string().optional() })

/** Parses one page of a list of Azure. Throws if it has another shape. */
export function parsePage(body: unknown): Readonly<z.output<typeof page>> {
  return page.parse(body)
}
