// The texts that must ship with a bundle: our own licence, and those of the packages whose code is in it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import * as z from 'zod'
import { type BundledPackage, packagesIn } from './release/sbom.ts'

export const LICENSE = 'LICENSE.txt'
export const NOTICES = 'THIRD-PARTY-NOTICES.txt'
const TEXT_FILE = /^(licen[cs]e|copying|notice)/i

/** Packages that name the MIT licence and ship without its text. Their package.json names the author. */
const WITHOUT_FILE: ReadonlySet<string> = new Set(['@nodable/entities'])
const Author = z.looseObject({ author: z.string().min(1) })

const MIT = `MIT License

COPYRIGHT

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to
deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or
sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
`

/** Writes both files beside a bundle. Throws if a package of the bundle has no text. */
export function writeNotices(root: string, folder: string, metafile: Metafile): void {
  writeFileSync(join(root, folder, LICENSE), readFileSync(join(root, 'LICENSE')))
  writeFileSync(join(root, folder, NOTICES), noticesText(root, packagesIn(metafile, root)))
}

/** Returns the texts of all packages, in the order of their names. A package that is in two folders at one version is told once. */
export function noticesText(root: string, packages: readonly BundledPackage[]): string {
  const parts = new Map(packages.map((each) => [titleOf(each), `${titleOf(each)}\n\n${textOf(root, each)}`]))
  const sorted = [...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return ['This product holds code of the following packages.', ...sorted].join(`\n\n${'-'.repeat(100)}\n\n`)
}

export function titleOf({ name, version, license }: BundledPackage): string {
  return `${name} ${version} (${license})`
}

function textOf(root: string, { folder, name, license }: BundledPackage): string {
  const files = readdirSync(join(root, folder))
    .filter((file) => TEXT_FILE.test(file))
    .toSorted()
  const text = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n')
  if (text !== '') return text
  if (!WITHOUT_FILE.has(name) || license !== 'MIT')
    throw new Error(
      `${folder} has no text of its licence ${license}: do not ship it, or name its text in scripts/notices.ts with its source`,
    )
  const { author } = Author.parse(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
  return MIT.replace('COPYRIGHT', `Copyright (c) ${author}`).trim()
}
