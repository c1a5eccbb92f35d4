import { describe, expect, it } from 'vitest'
import { readShellScript } from './shellScript.ts'

const VARIABLES: {
  readonly [sentence: string]: { readonly script: string; readonly want: { readonly [name: string]: string | undefined } }
} = {
  'plain values end at a blank': { script: 'A=b\nB=c  # why\n', want: { A: 'b', B: 'c' } },
  'several assignments may share a line': { script: 'A=1 B=2; C=3', want: { A: '1', B: '2', C: '3' } },
  'export and readonly set too': { script: 'export A=1\nreadonly B=2', want: { A: '1', B: '2' } },
  'single quotes keep everything': { script: `A='x $B "y" \\n <z>'`, want: { A: 'x $B "y" \\n <z>' } },
  'double quotes keep blanks and angle brackets': {
    script: 'A="--x=memory.available<750Mi --y"',
    want: { A: '--x=memory.available<750Mi --y' },
  },
  'escapes in double quotes': { script: 'A="a\\"b\\$c\\\\d\\e"', want: { A: 'a"b$c\\d\\e' } },
  'pieces of a word join': { script: `A=a"b"'c'\\ d`, want: { A: 'abc d' } },
  'a quoted quote': { script: `A='it'\\''s'`, want: { A: "it's" } },
  'variables set before are put in': { script: 'A=1\nB="$A-${A}"\nC=$D', want: { A: '1', B: '1-1', C: '' } },
  'a computed value is not known': { script: 'A=$(date)\nB="x`y`"\nC=$A', want: { A: undefined, B: undefined, C: undefined } },
  'a backslash joins lines': { script: 'A="a\\\nb" \\\n B=2', want: { A: 'ab', B: '2' } },
  'a quoted value may span lines': { script: 'A="a\nb"', want: { A: 'a\nb' } },
  'here documents are left out': { script: "cat <<'EOF' > /f\nA=no\nEOF\nB=1", want: { B: '1' } },
  'an assignment before a command is the command’s own': { script: 'A=1 run\nB=2', want: { B: '2' } },
  'an unquoted angle bracket ends the value': { script: 'A=memory<750Mi', want: { A: 'memory' } },
  'comments set nothing': { script: '# A=1\n  #B=2', want: {} },
  'the last value counts': { script: 'A=1\nA=2', want: { A: '2' } },
  'windows line ends': { script: 'A=1\r\nB=2\r\n', want: { A: '1', B: '2' } },
}

describe('readShellScript', () => {
  for (const [sentence, { script, want }] of Object.entries(VARIABLES)) {
    it(sentence, () => expect(Object.fromEntries(readShellScript(script).variables)).toEqual(want))
  }

  it('names the commands that would run', () => {
    const script = '#!/bin/bash\nset -o allexport\nA=1\n/usr/bin/nohup /bin/bash -c "/bin/bash /opt/start.sh" > /dev/null 2>&1 &\n'
    expect(readShellScript(script).commands).toEqual([
      ['set', '-o', 'allexport'],
      ['/usr/bin/nohup', '/bin/bash', '-c', '/bin/bash /opt/start.sh'],
    ])
  })
})
