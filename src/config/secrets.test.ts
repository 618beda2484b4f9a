import { expect, it } from 'vitest';
import { secretsOfEnvironmentFile } from './secrets.ts';

it('finds the secret values of a .env file, and leaves plain settings alone', () => {
  const text = [
    '# local',
    'PORT=8080',
    'LOG_LEVEL=debugging-all-parts',
    'export API_TOKEN="tok-12345 678" # mine',
    "DB_PASSWORD='hunter2hunter2'",
    'SESSION_SECRET = s3cr3t-value   # comment',
    'DATABASE_URL=postgres://user:p%40ssw0rd-1@host/db',
    'SHORT_KEY=abc',
    'KEY_FILE_KEY=/etc/keys/a',
  ].join('\r\n');
  expect(secretsOfEnvironmentFile(text)).toEqual([
    { name: 'API_TOKEN', value: 'tok-12345 678' },
    { name: 'DB_PASSWORD', value: 'hunter2hunter2' },
    { name: 'SESSION_SECRET', value: 's3cr3t-value' },
    { name: 'DATABASE_URL', value: 'p@ssw0rd-1' },
  ]);
});
