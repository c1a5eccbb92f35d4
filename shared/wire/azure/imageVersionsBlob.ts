import * as z from 'zod'
import { parsedJson } from '../../base/json.ts'
import { epochMs } from '../../model/units.ts'

const SCHEMA = 1
const version = z.object({ version: z.string(), askedAt: z.number().int().transform(epochMs) })
const stored = z.object({ schema: z.literal(SCHEMA), images: z.record(z.string(), version) })

/** The newest version of an image, and when Azure was asked. An empty version: the image has none. */
export type ImageVersion = Readonly<z.output<typeof version>>

export function writeImageVersions(images: Readonly<Record<string, ImageVersion>>): string {
  return JSON.stringify({ schema: SCHEMA, images })
}

/** Empty if another version wrote the text. Then Azure is asked again. */
export function readImageVersions(text: string): Readonly<Record<string, ImageVersion>> {
  const parsed = stored.safeParse(parsedJson(text))
  return parsed.success ? parsed.data.images : {}
}
