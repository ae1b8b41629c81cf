; The Windows installer of the agent: makensis -DTREE=… -DVERSION=… -DOUT=… installer.nsi
; Silent, for many computers:  InstrumentWatcher-X.Y.Z.exe /S /URL=https://… /CODE=… /FOLDER=D:\data [/INSTRUMENT=id]
; It ends with the agent's own exit code where setting up fails (docs/agent.md).

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
ManifestDPIAware true
RequestExecutionLevel admin
Name "Instrument watcher"
OutFile "${OUT}"
InstallDir "$PROGRAMFILES64\Instrument Watcher"
BrandingText "Instrument Data Service"
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "Instrument watcher"
VIAddVersionKey FileDescription "Brings an instrument's files to the Instrument Data Service"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "Apache-2.0"

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\InstrumentWatcher"
!define AGENT "$INSTDIR\instrument-watcher.exe"
!define MUI_FINISHPAGE_RUN "$SYSDIR\cmd.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS "/c $\"$\"$INSTDIR\set-up.cmd$\"$\""
!define MUI_FINISHPAGE_RUN_TEXT "Set up this computer's watcher now"

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Var Url
Var Code
Var Folder
Var Instrument
Var Result

Function .onInit
    SetShellVarContext all
    SetRegView 64
    ReadRegStr $0 HKLM "${UNINSTALL_KEY}" "InstallLocation"
    ${If} $0 != ""
        StrCpy $INSTDIR $0 ; an upgrade goes where the agent is
    ${EndIf}
    Call ReadOptions
FunctionEnd

; Options as every shell hands them over: quotation marks may stand anywhere in a word, and a backslash before one is a
; backslash, since folders end with it. (${GetOptions} would end a value at its first slash.)
Function ReadOptions
    ${GetParameters} $0
    StrLen $1 $0
    StrCpy $2 "" ; the word so far
    StrCpy $3 "" ; the quotation mark that is open
    ${For} $4 0 $1 ; one more than there are characters: the last word ends too
        StrCpy $5 $0 1 $4
        ${If} $5 == "$\""
            ${If} $3 == ""
                StrCpy $3 $5
            ${Else}
                StrCpy $3 ""
            ${EndIf}
        ${ElseIf} $5 == ""
        ${OrIf} "$3$5" == " "
            Call TakeOption
            StrCpy $2 ""
        ${Else}
            StrCpy $2 "$2$5"
        ${EndIf}
    ${Next}
    ${If} $Url == ""
    ${AndIf} "$Code$Folder$Instrument" != ""
        StrCpy $2 "/URL="
        Call RefuseOptions
    ${EndIf}
FunctionEnd

!macro TakeOption NAME VARIABLE
    StrLen $6 "${NAME}"
    StrCpy $7 $2 $6
    ${If} $7 == "${NAME}"
        StrCpy ${VARIABLE} $2 "" $6
        Return
    ${EndIf}
!macroend

Function TakeOption
    !insertmacro TakeOption "/URL=" $Url
    !insertmacro TakeOption "/CODE=" $Code
    !insertmacro TakeOption "/FOLDER=" $Folder
    !insertmacro TakeOption "/INSTRUMENT=" $Instrument
    ${If} $2 != ""
    ${AndIf} $2 != "/S"
    ${AndIf} $2 != "/NCRC"
        Call RefuseOptions
    ${EndIf}
FunctionEnd

Function RefuseOptions
    MessageBox MB_OK|MB_ICONSTOP "Unknown, or missing: $2$\n$\nInstrumentWatcher-${VERSION}.exe \
[/S] [/URL=address [/CODE=code] /FOLDER=folder [/INSTRUMENT=id]]" /SD IDOK
    SetErrorLevel 2
    Quit
FunctionEnd

Section "Agent"
    SetShellVarContext all
    SetRegView 64
    Call EndOldVersion
    SetOutPath "$INSTDIR"
    File /r "${TREE}/*"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayName" "Instrument watcher"
    WriteRegStr HKLM "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKLM "${UNINSTALL_KEY}" "Publisher" "Instrument Data Service"
    WriteRegStr HKLM "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
    WriteRegStr HKLM "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegStr HKLM "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
    WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoModify" 1
    WriteRegDWORD HKLM "${UNINSTALL_KEY}" "NoRepair" 1
    CreateDirectory "$SMPROGRAMS\Instrument Watcher"
    CreateShortcut "$SMPROGRAMS\Instrument Watcher\Set up this computer's watcher.lnk" "$INSTDIR\set-up.cmd"
    CreateShortcut "$SMPROGRAMS\Instrument Watcher\Status.lnk" "$INSTDIR\status.cmd"
    CreateShortcut "$SMPROGRAMS\Instrument Watcher\Instrument watcher.lnk" "$INSTDIR\open.cmd"
    ${If} $Url != ""
        Call SetUp
    ${EndIf}
    Call StartAgain
SectionEnd

; The services of the old version stop, whatever their names, so that its files can be replaced.
Function EndOldVersion
    ${If} ${FileExists} "${AGENT}"
        DetailPrint "Stopping the version that is installed"
        nsExec::ExecToLog '"${AGENT}" service stop --every'
        Pop $Result
        ${If} $Result != 0
            SetErrorLevel $Result
            Abort "The version that is installed could not be stopped."
        ${EndIf}
    ${EndIf}
    RMDir /r "$INSTDIR\python"
FunctionEnd

Function SetUp
    StrCpy $1 $Folder 1 -1
    ${If} $1 == "\"
        StrCpy $Folder "$Folder." ; D:\ would take the quote behind it along
    ${EndIf}
    StrCpy $0 '"${AGENT}" init --yes --json --server "$Url"'
    ${If} $Folder != ""
        StrCpy $0 '$0 --folder "$Folder"'
    ${EndIf}
    ${If} $Code != ""
        StrCpy $0 '$0 --code "$Code"'
    ${EndIf}
    ${If} $Instrument != ""
        StrCpy $0 '$0 --instrument "$Instrument"'
    ${EndIf}
    Call RunAndTell
    ${If} $Result == 0
        StrCpy $0 '"${AGENT}" service install --json'
        Call RunAndTell
    ${EndIf}
    ${If} $Result != 0
        SetErrorLevel $Result
        Abort "The watcher could not be set up; set-up.log says why. It is installed: run Set up this computer's watcher."
    ${EndIf}
FunctionEnd

; What was said is kept too: nobody watches a silent set-up.
Function RunAndTell
    nsExec::ExecToStack $0
    Pop $Result
    Pop $1
    DetailPrint $1
    FileOpen $2 "$INSTDIR\set-up.log" w
    FileWrite $2 $1
    FileClose $2
FunctionEnd

Function StartAgain
    nsExec::ExecToLog '"${AGENT}" service start --every'
    Pop $Result
FunctionEnd

Section "Uninstall"
    SetShellVarContext all
    SetRegView 64
    nsExec::ExecToLog '"${AGENT}" service uninstall --every'
    Pop $Result
    ${If} $Result != 0
        SetErrorLevel $Result
        Abort "The service could not be removed."
    ${EndIf}
    RMDir /r "$INSTDIR\python"
    Delete "${AGENT}"
    Delete "$INSTDIR\set-up.cmd"
    Delete "$INSTDIR\status.cmd"
    Delete "$INSTDIR\open.cmd"
    Delete "$INSTDIR\LICENSE.txt"
    Delete "$INSTDIR\set-up.log"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
    RMDir /r "$SMPROGRAMS\Instrument Watcher"
    DeleteRegKey HKLM "${UNINSTALL_KEY}"
    ; Configuration, token, journal and logs stay in ProgramData: an installation to come goes on from there.
SectionEnd
