// Packs charts as Helm does, but with the same bytes each time: Helm writes the current time into its archive.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { walk } from '../floors.ts'
import { gzipOf, tarOf } from './tar.ts'

export const CHARTS = ['joiner', 'joiner-crd'] as const

export type ChartRelease = {
  readonly version: string
  /** The image of the chart. A chart without an image ignores it. */
  readonly image: { readonly repository: string; readonly digest: string }
}

/** Returns the archive of charts/NAME at a version. Its values name the image by digest. */
export async function chartArchive(root: string, name: (typeof CHARTS)[number], { version, image }: ChartRelease): Promise<Buffer> {
  const folder = join(root, 'charts', name)
  const files = walk(folder, () => true).map((path) => {
    const bytes = readFileSync(join(folder, path))
    if (path === 'Chart.yaml') return { path, bytes: edited(bytes, { version, appVersion: version }) }
    return path === 'values.yaml' ? { path, bytes: edited(bytes, { image }) } : { path, bytes }
  })
  files.push({ path: 'LICENSE', bytes: readFileSync(join(root, 'LICENSE')) })
  return gzipOf(await tarOf(files.map((file) => ({ ...file, path: `${name}/${file.path}` }))))
}

type Change = { readonly [key: string]: string | { readonly [key: string]: string } }

/** Returns the same YAML, comments included, with changed values. */
function edited(bytes: Buffer, change: Change): Buffer {
  const document = parseDocument(bytes.toString('utf8'))
  for (const [key, value] of Object.entries(change)) {
    if (typeof value === 'string') document.set(key, value)
    else for (const [inner, text] of Object.entries(value)) document.setIn([key, inner], text)
  }
  return Buffer.from(document.toString({ lineWidth: 0, flowCollectionPadding: false }))
}
