// The definition of `discover` in each format, listed while something is hidden and the host has no tool of that name. The
// host forwards the model's call as tools.discover. Constant text: equal state gives equal bytes.

import type { Format } from '../../providers/types.js';
import { DISCOVER } from './tool-classes.js';

const DESCRIPTION =
  'Shows the tools of a class that is named in <tool_discovery>. Call it before saying that no tool fits; the tools can be called from the next step on.';

const SCHEMA = {
  type: 'object',
  properties: {
    class: { type: 'string', description: 'name of a class in <tool_discovery>' },
    subclass: { type: 'string', description: 'only this part of the class' },
  },
  required: ['class'],
};

export function discoverTool(format: Format): string {
  const head = { name: DISCOVER, description: DESCRIPTION };
  switch (format) {
    case 'anthropic':
      return JSON.stringify({ ...head, input_schema: SCHEMA });
    case 'openai-chat':
      return JSON.stringify({ type: 'function', function: { ...head, parameters: SCHEMA } });
    case 'openai-responses':
      return JSON.stringify({ type: 'function', ...head, parameters: SCHEMA });
  }
}
