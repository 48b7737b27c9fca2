import { bootstrapSession } from './bootstrap-session.mjs';
import { compose, lintProfile, python, terraform } from './episodes.mjs';
import { commit, edit, glob, lint, look, read, sh, status, tests, todo, write } from './steps.mjs';

/** Saturday 7 November 2026. */
export const SATURDAY = [
  {
    project: 'warehouse-sync',
    at: '2026-11-07T08:05:00Z',
    note: 'lesson 1: fails once, python3 works; compose plugin from the start',
    task: 'All clients retry at the same second after a broker restart. Spread the delays, measure, and compare the stock before and after.',
    plan: ['Spread the delays', 'Measure with the broker', 'Compare the stock'],
    steps: [
      ...[
        todo(0),
        look(2),
        edit(2),
        tests(),
        todo(1),
        compose.plugin('broker'),
        sh('make measure', 'p50 4.1s p95 11.7s'),
        look(0),
      ],
      ...[
        edit(0),
        tests(),
        todo(2),
        python.fails('compare_stock.py'),
        read(0),
      ],
      ...[
        python.versions(), python.three('compare_stock.py', '3 articles moved'),
        sh('head -4 out/moved.csv', 'sku;before;after\n4410;12;11\n4411;7;9\n5120;0;4'),
        look(1),
        read(2),
      ],
      ...[
        edit(1),
        tests(),
        sh('make measure', 'p50 3.9s p95 6.2s'),
        look(3),
        edit(3),
        tests(),
        lint(),
        glob('out/*.csv'),
        status(),
      ],
      ...[commit('Spread the delays of reconnecting clients'), todo(3)],
    ],
    close: 'Clients reconnect spread over six seconds; three articles moved meanwhile.',
  },
  {
    project: 'storefront-web',
    at: '2026-11-07T08:50:00Z',
    note: 'lesson 2: the failing form works, this machine still has the old program',
    task: 'Prices ignore the language of the visitor. Format them with it and show me the preview in two languages.',
    plan: ['Format with the language', 'Show two languages'],
    steps: [
      ...[
        todo(0),
        look(3),
        edit(3),
        tests(),
        todo(1),
        compose.works('preview cache'),
        sh('curl -s -H Accept-Language:nl http://localhost:4100/p/1187', '€ 24,50'),
      ],
      ...[
        sh('curl -s -H Accept-Language:en http://localhost:4100/p/1187', '€24.50'),
        look(1),
        lint(),
        status(),
        commit('Format prices in the language of the visitor'),
        todo(2),
      ],
    ],
    close: 'Prices follow the language of the visitor.',
  },
  bootstrapSession('mobile-bff', '2026-11-07T09:35:00Z', [lintProfile.fails()]),
  {
    project: 'returns-portal',
    at: '2026-11-07T10:10:00Z',
    note: 'unsolved',
    task: 'Scanned codes with blanks are lost. Trim them, and give the scanner a queue of its own in the deployment.',
    plan: ['Trim the code', 'Describe the queue', 'Plan'],
    steps: [
      ...[
        todo(0),
        look(3),
        edit(3),
        tests(),
        lint(),
        todo(1),
        write(
          'deploy/scanner.tf',
          'module "scanner_queue" {\n  source = "../modules/queue"\n  name   = "scanner"\n}\n',
        ),
      ],
      ...[
        todo(2),
        terraform.init('deploy'),
        look(0),
        terraform.upgrade('deploy'),
        terraform.cached('deploy'),
        terraform.init('deploy'),
        read(1),
      ],
    ],
    close: 'Codes are trimmed and the queue is described; planning fails on the provider, whatever I try.',
  },
];
