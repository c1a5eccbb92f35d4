import { readFileSync } from 'node:fs'
import { text as readStream } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { messageOf } from '../shared/base/result.ts'
import { convertText } from './convert/convertText.ts'

const USAGE = `npx joiner convert -f FILE

Prints the objects of a YAML file in the versions that Joiner has: NodePools and NodeClaims of karpenter.sh/v1beta1 as v1, AKSNodeClasses of v1alpha2 as v1beta1.
Other objects and comments stay. The status, and the fields that the API server sets, are left out of converted objects.

  -f, --filename FILE   the file, or - for standard input

Exit codes: 0 printed, 1 an object cannot be converted (its field is named, and nothing is printed), 2 wrong arguments.`

/** Returns the exit code. */
export async function convertCommand(args: readonly string[]): Promise<number> {
  const given = readArguments(args)
  if ('why' in given) {
    console.error(`${given.why}\n\n${USAGE}`)
    return 2
  }
  if (given.help) {
    console.log(USAGE)
    return 0
  }
  const input = await readInput(given.file)
  if ('why' in input) {
    console.error(input.why)
    return 1
  }
  const converted = convertText(input.text)
  if (converted.ok) process.stdout.write(converted.value)
  else console.error(converted.error.join('\n'))
  return converted.ok ? 0 : 1
}

type Given = { readonly help: boolean; readonly file: string } | { readonly why: string }

function readArguments(args: readonly string[]): Given {
  try {
    const options = { filename: { type: 'string', short: 'f' }, help: { type: 'boolean', short: 'h' } } as const
    const { filename, help = false } = parseArgs({ args: [...args], options }).values
    return filename === undefined && !help
      ? { why: '-f is missing: it names the file, or is - for standard input' }
      : { help, file: filename ?? '' }
  } catch (cause) {
    return { why: messageOf(cause) }
  }
}

async function readInput(file: string): Promise<{ readonly text: string } | { readonly why: string }> {
  try {
    return { text: file === '-' ? await readStream(process.stdin) : readFileSync(file, 'utf8') }
  } catch (cause) {
    return { why: `${file} cannot be read: ${messageOf(cause)}` }
  }
}
