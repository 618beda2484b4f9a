#!/usr/bin/env node
/**
 * The launcher. Answers --version by itself, starts the program on a Node that is new enough, and on an older Node
 * hands over to a newer one that was installed beside this package. CommonJS in old syntax, so that any Node reads it
 * and the shortest way stays short.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.dirname(__dirname);
const NEEDED = [22, 18];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

function readVersion(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8')).version;
}

function printVersion() {
  try {
    fs.writeSync(1, `toolwright ${readVersion(path.join(ROOT, 'package.json'))}\n`);
  } catch (error) {
    if (error.code !== 'EPIPE') throw error;
  }
}

/** Compiled code is kept in a folder of the user's own: whoever could write there could run code here. */
function enableCompileCache() {
  const base = process.env.XDG_CACHE_HOME || path.join(require('node:os').homedir(), '.cache');
  try {
    require('node:module').enableCompileCache(path.join(base, 'toolwright', 'compiled'));
  } catch {
    // Without a cache the program starts a little later, and that is all.
  }
}

/** A program of one of the `node-<platform>` packages, whose package.json says which Node it is. */
function newerNode() {
  const modules = path.join(ROOT, 'node_modules');
  const candidates = [path.join(modules, '.bin', 'node')];
  try {
    for (const name of fs.readdirSync(modules))
      if (name.startsWith('node-')) candidates.push(path.join(modules, name, 'bin', 'node'));
  } catch {
    return null;
  }
  return candidates.find(isUsable) || null;
}

function isUsable(program) {
  try {
    const real = fs.realpathSync(program);
    fs.accessSync(real, fs.constants.X_OK);
    return isNewEnough(readVersion(path.join(path.dirname(real), '..', 'package.json')));
  } catch {
    return false;
  }
}

/** With setpriv the kernel ends the child when this process is killed; without it a killed launcher leaves it. */
function commandFor(program) {
  const call = [program, __filename].concat(process.argv.slice(2));
  const tied = ['setpriv', '--pdeathsig', 'KILL'];
  const { spawnSync } = require('node:child_process');
  const works = spawnSync(tied[0], tied.slice(1).concat('true'), { stdio: 'ignore' }).status === 0;
  return works ? tied.concat(call) : call;
}

function handOver(program) {
  const [command, ...args] = commandFor(program);
  const env = Object.assign({}, process.env, { TOOLWRIGHT_LAUNCHER: String(process.pid) });
  const child = require('node:child_process').spawn(command, args, { stdio: 'inherit', env });
  const forward = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(`toolwright: ${program} does not start: ${error.message}\n`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    for (const name of SIGNALS) process.removeListener(name, forward);
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
  });
}

function main() {
  const [only, more] = process.argv.slice(2);
  if (more === undefined && (only === '--version' || only === '-V')) return printVersion();
  if (isNewEnough(process.versions.node)) {
    enableCompileCache();
    return import('../dist/main.js').catch((error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      process.stderr.write(`toolwright: ${error.message}. Build it with: npm run build\n`);
      process.exit(2);
    });
  }
  const program = newerNode();
  if (program !== null) return handOver(program);
  process.stderr.write(
    `toolwright: needs Node ${NEEDED.join('.')} or newer, this is ${process.version}. Install one from https://nodejs.org and run again.\n`,
  );
  process.exitCode = 2;
}

main();
