import type { DangerousForms } from './danger.js';

/** The operating system: its services, files, accounts and firewall. */
export const SYSTEM_PROGRAMS: readonly DangerousForms[] = [
  {
    programs: 'systemctl',
    source: 'man systemctl',
    protection: [
      'stop|disable|mask @(*firewalld*|ufw*|*iptables*|nftables*|*auditd*|apparmor*|*selinux*|fail2ban*|*clamav*|crowdsec*|falcon*|*falco*|unattended-upgrades*|apt-daily*|rsyslog*|*journald*|osqueryd*|*defender*)',
    ],
    foreign: ['-H,--host', 'set-environment', 'import-environment', 'link'],
  },
  {
    programs: 'service',
    source: 'man service',
    protection: ['@(*firewalld*|ufw*|*iptables*|*auditd*|apparmor*|fail2ban*|*clamav*) @stop'],
  },
  {
    programs: 'ufw firewall-cmd iptables ip6tables nft',
    source: 'man ufw, man firewall-cmd, man iptables, man nft',
    protection: [
      'disable',
      'reset',
      'default allow',
      '-F,--flush',
      '-X,--delete-chain',
      '-P,--policy=(input|forward|output) @accept',
      '--panic-off',
      '--set-default-zone=trusted',
      '--zone=trusted',
      'flush ruleset|table|chain',
      'stop',
      '-P=input',
      'allow from any',
    ],
  },
  { programs: 'setenforce', source: 'man setenforce', protection: ['@(0|permissive)'] },
  {
    programs: 'semanage setsebool aa-disable aa-complain aa-teardown',
    source: 'man semanage, man setsebool, man aa-disable',
    protection: ['permissive', '@*'],
  },
  {
    programs: 'sysctl',
    source: 'man sysctl',
    protection: [
      '@(kernel.randomize_va_space=0|kernel.yama.ptrace_scope=0|kernel.unprivileged_bpf_disabled=0|net.ipv4.*rp_filter=0|net.ipv4.*accept_redirects=1|kernel.kptr_restrict=0|kernel.dmesg_restrict=0|kernel.perf_event_paranoid=(-1|0)|vm.mmap_min_addr=0|fs.protected_*=0)',
    ],
  },
  { programs: 'auditctl', source: 'man auditctl', protection: ['-e=0', '-D'] },
  {
    programs: 'chmod',
    source: 'man chmod',
    protection: [
      '@(777|0777|1777|a+rwx|ugo+rwx|o+w|a+w|+w|666|0666|o+rwx|a=rwx|ugo=rwx|u+s|g+s|+s|a+s|4755|2755|6755)',
      '--no-preserve-root',
    ],
  },
  {
    programs: 'chown chgrp',
    source: 'man chown',
    protection: ['--no-preserve-root', '-R,--recursive @(/|/etc|/usr|/var|/home|/root|/bin)'],
  },
  {
    programs: 'setfacl setcap chattr',
    source: 'man setfacl, man setcap, man chattr',
    protection: ['-m,--modify=*(other|o)::*w*', '-b,--remove-all', '@cap_*', '@(-i|-a)', '-i,-a'],
  },
  {
    programs: 'rm',
    source: 'man rm',
    protection: [
      '--no-preserve-root',
      '-r,-R,--recursive @(/|/**|~|~/|~/**|$home|$home/*|**|/etc*|/usr|/var|/home|/root|/bin|/lib|/boot|/opt)',
    ],
  },
  { programs: 'find', source: 'man find', hasSingleHyphen: true, protection: ['@(/|~) -delete'] },
  {
    programs: 'dd',
    source: 'man dd',
    protection: ['@of=/dev/(sd*|hd*|nvme*|vd*|xvd*|mmcblk*|disk*|rdisk*|mem|kmem|[path]*)', '@of=/dev/*'],
  },
  {
    programs: 'mkfs mkfs.ext4 mkfs.ext3 mkfs.xfs mkfs.btrfs mkfs.vfat mke2fs mkswap wipefs sgdisk blkdiscard',
    source: 'man mkfs, man wipefs, man sgdisk',
    protection: ['@(/*|[path]*|[var]*|$*)', '-a,--all', '-Z,--zap-all'],
  },
  { programs: 'shred', source: 'man shred', protection: ['@/dev/*', '-u,--remove'] },
  { programs: 'sudo', source: 'man sudo', protection: ['-S,--stdin', '-A,--askpass'] },
  {
    programs: 'usermod adduser useradd gpasswd',
    source: 'man usermod, man useradd, man gpasswd',
    protection: [
      '-aG,-G,--groups,--append=(*sudo*|*wheel*|*docker*|*root*|*admin*)',
      '-o,--non-unique',
      '-u,--uid=0',
      '@(sudo|wheel|docker)',
      '-p,--password',
    ],
  },
  { programs: 'passwd', source: 'man passwd', protection: ['-d,--delete', '-u,--unlock'] },
  {
    programs: 'mount',
    source: 'man mount',
    protection: ['-o,--options=(*exec*|*suid*|*dev,*|*remount,rw*)', '--bind @(/|/etc|/proc)'],
  },
  {
    programs: 'bwrap firejail unshare nsenter chroot',
    source: 'man bwrap, man firejail, man nsenter',
    protection: [
      '--noprofile',
      '--bind=/',
      '--dev-bind=/',
      '--share-net',
      '-t,--target=1',
      '--all',
      '--noseccomp,--no-seccomp',
      '--ignore',
    ],
  },
  {
    programs: 'update-ca-certificates update-ca-trust trust security certutil',
    source: 'man update-ca-certificates, man update-ca-trust, man certutil',
    foreign: ['@extract', 'anchor', 'add-trusted-cert', '-A', '-addstore'],
    protection: ['authorizationdb @write'],
  },
  {
    programs: 'spctl csrutil xattr codesign',
    source: 'man spctl, man csrutil, man xattr',
    protection: [
      '--master-disable,--global-disable',
      'disable',
      '-d @com.apple.quarantine',
      '-c',
      '-cr',
      '--remove-signature',
      '--no-strict',
    ],
  },
  {
    programs: 'powershell pwsh set-executionpolicy invoke-webrequest iwr invoke-restmethod irm set-mppreference',
    source: 'https://learn.microsoft.com/powershell/',
    hasSingleHyphen: true,
    protection: [
      '--executionpolicy=(bypass|unrestricted)',
      '--ep=(bypass|unrestricted)',
      '--exec=bypass',
      '@(bypass|unrestricted)',
      '--skipcertificatecheck',
      '--disablerealtimemonitoring',
      '--allowunencryptedauthentication',
      '--encodedcommand,--enc,--ec',
    ],
    foreign: ['--proxy'],
  },
  {
    programs: 'tar unzip cpio',
    source: 'man tar, man unzip',
    protection: ['-P,--absolute-names'],
    foreign: [
      '--to-command',
      '--checkpoint-action=exec*',
      '--use-compress-program,-I=*(sh|python|perl)*',
      '--rsh-command',
    ],
  },
];
